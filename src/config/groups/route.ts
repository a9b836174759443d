import { choice, duration, flag, object, objectList, text, textList, type FieldDescriptor } from '../descriptor.ts';
import type { EntityOptions } from '../../url/entity.ts';
import type { RouteOptions } from '../../url/routes.ts';
import type { Soft404Rule } from '../../url/soft-404.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const entityFields: Readonly<Record<keyof EntityOptions, FieldDescriptor>> = {
  name: {
    ...text('', 'Kind of thing, e.g. `product`; the first part of its id.', {
      maxLength: 40,
      pattern: '^[A-Za-z][A-Za-z0-9_-]*$',
      patternMeaning: 'letters, digits, _ and -, starting with a letter',
    }),
    required: true,
  },
  pattern: {
    ...text('', 'Regular expression with one capture group, the id; it has to match the whole path.', {
      maxLength: 500,
    }),
    required: true,
  },
};

const soft404Fields: Readonly<Record<keyof Soft404Rule, FieldDescriptor>> = {
  title: {
    ...text('', 'Regular expression that matches the title, in any case.', { maxLength: 500 }),
    optional: true,
  },
  h1: { ...text('', 'Regular expression that matches an `h1`, in any case.', { maxLength: 500 }), optional: true },
  selector: { ...text('', 'CSS selector of an element that is there.', { maxLength: 500 }), optional: true },
};

/** The options of one route of `ingress.routes`. */
export const routeFields: Readonly<Record<keyof RouteOptions, FieldDescriptor>> = {
  match: {
    ...choice(['exact', 'prefix', 'contains', 'regex'], 'prefix', 'How `path` is compared with the path of a URL.', {
      rekeys: true,
    }),
    required: true,
  },
  path: {
    ...text('', 'Path, beginning or part of a path, or regular expression, as `match` says.', {
      rekeys: true,
      maxLength: 500,
      pattern: '[^]',
      patternMeaning: 'not empty',
    }),
    required: true,
  },
  mode: choice(
    ['prerender', 'passthrough'],
    'prerender',
    '`prerender`: pages are rendered and served from the cache; `passthrough`: always answered by the origin.',
  ),
  queryParams: {
    ...textList(
      [],
      "Query parameters that make a page of their own; others are dropped. `['*']` keeps all, `[]` none. Without it: none on a prerender route, all on a passthrough route.",
      { rekeys: true },
    ),
    optional: true,
  },
  renderInterval: {
    ...duration(DAY, { min: MINUTE, max: 365 * DAY }, 'Time between two renders. Without it, `render.interval`.'),
    optional: true,
  },
  demandFloor: {
    ...duration(MINUTE, { min: MINUTE, max: 365 * DAY }, 'Shortest interval that demand may lead to.'),
    optional: true,
  },
  discoverTargets: {
    ...flag(true, 'Whether a crawler that asks for an unknown page of this route adds it to the rotation.'),
    optional: true,
  },
  soft404: {
    ...objectList<Soft404Rule>(
      soft404Fields,
      'Rules that tell a "not found" page which answers 200; every part of a rule that is given has to hold.',
    ),
    optional: true,
  },
  requiredSelectors: {
    ...textList([], 'CSS selectors that a rendered page must match; without one of them the render failed.'),
    optional: true,
  },
  entity: {
    ...object<EntityOptions>(
      entityFields,
      'What the pages of this route are about, when its identity outlives the URL.',
    ),
    optional: true,
  },
};
