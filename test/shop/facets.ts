import { FACET_GROUPS, FACET_VALUES, slugOf, type FacetGroup } from './assortment.ts';

/** One `Group:Value` of the `CN` parameter, decoded. */
export interface Facet {
  readonly group: string;
  readonly value: string;
}

/** What a catalog URL asks for. */
export interface Selection {
  /** Known facets by group; products must match one value of every group. */
  readonly wanted: ReadonlyMap<FacetGroup, ReadonlySet<string>>;
  /** False when any facet is unknown: such a page has no products. */
  readonly known: boolean;
  /** Path and query of the spelling that the shop declares canonical. */
  readonly canonicalPath: string;
  readonly title: string;
}

/** The catalog page without facets. */
export const WHOLE_CATALOG = '/catalog/all-products.jsp';

// A separator counts as one only in front of `Group:`; anywhere else the same bytes belong to a value.
const SEPARATOR = /(?:\+|%2B|%20)(?=[A-Za-z]+(?::|%3A))/i;

/** The raw, still escaped value of `CN` in a raw query string (without `?`), or undefined when it is absent. */
export function rawFacets(rawQuery: string): string | undefined {
  const segment = rawQuery.split('&').find((part) => part.startsWith('CN='));
  return segment?.slice('CN='.length);
}

/** Reads a raw `CN` value: `+`, `%2B` or `%20` between facets; in a value `+` is a space and `%2B` is a plus. */
export function parseFacets(raw: string): Facet[] {
  if (raw === '') return [];
  return raw.split(SEPARATOR).map((part) => {
    const [, group = '', value = part] = /^([^:%]*)(?::|%3A)(.*)$/is.exec(part) ?? [];
    return { group, value: decode(value) };
  });
}

/** Path and query of a selection of known facets: groups and values in alphabetical order, `+` between, `%20` for spaces. */
export function catalogPath(wanted: ReadonlyMap<FacetGroup, ReadonlySet<string>>): string {
  const facets = FACET_GROUPS.flatMap((group) =>
    [...(wanted.get(group) ?? [])].sort().map((value) => ({ group, value })),
  );
  return facets.length === 0 ? WHOLE_CATALOG : spell(facets, encodeURIComponent);
}

/** Decides what a raw `CN` value selects and which spelling of it is canonical. Never throws. */
export function select(raw: string): Selection {
  const facets = parseFacets(raw);
  const wanted = new Map<FacetGroup, Set<string>>();
  for (const { group, value } of facets) {
    if (!isFacet(group, value)) continue;
    wanted.set(group, (wanted.get(group) ?? new Set()).add(value));
  }
  const known = facets.every(({ group, value }) => isFacet(group, value));
  const junk = facets.some(({ value }) => value.includes('%'));
  return {
    wanted,
    known,
    // One more level of escaping than was asked for: such an origin answers every junk URL with a fresh one.
    canonicalPath: junk ? spell(facets, (value) => encodeURIComponent(encodeURIComponent(value))) : catalogPath(wanted),
    title: titleOf(facets),
  };
}

function spell(facets: readonly Facet[], escape: (value: string) => string): string {
  const slug = slugOf(facets.map(({ value }) => value).join(' ')) || 'catalog';
  return `/catalog/${slug}.jsp?CN=${facets.map(({ group, value }) => `${encodeURIComponent(group)}:${escape(value)}`).join('+')}`;
}

function isFacet(group: string, value: string): group is FacetGroup {
  const name = FACET_GROUPS.find((known) => known === group);
  return name !== undefined && FACET_VALUES[name].includes(value);
}

function titleOf(facets: readonly Facet[]): string {
  if (facets.length === 0) return 'All products';
  const valuesOf = (group: string) => facets.filter((facet) => facet.group === group).map(({ value }) => value);
  const words = [...valuesOf('Brand'), ...valuesOf('Color'), ...valuesOf('Silhouette')];
  return words.length > 0 ? words.join(' ') : 'Catalog';
}

function decode(value: string): string {
  const spaced = value.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
