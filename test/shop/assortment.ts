import { createHash } from 'node:crypto';

/** What the shop sells under one id before anybody changes it. A pure function of seed and id. */
export interface Product {
  /** Decimal number from 1 to the size of the assortment. */
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly brand: string;
  readonly colour: string;
  /** The product group, as the facet `Silhouette` names it. */
  readonly silhouette: string;
  /** US cents. */
  readonly cents: number;
  /** 3.0 to 5.0 in steps of 0.1. */
  readonly rating: number;
  readonly reviews: number;
  readonly description: string;
  /** When the product was last touched before the shop opened, ms since 1970, whole seconds. */
  readonly touchedAt: number;
}

/** The facet groups of the catalog in the order of their canonical spelling. */
export const FACET_GROUPS = ['Brand', 'Color', 'Silhouette'] as const;

export type FacetGroup = (typeof FACET_GROUPS)[number];

// The sizes are pairwise prime, so every combination of values comes up, and products of one value lie evenly spaced.
/** Every value of every facet group. `ACME+CO` and `Fern & Field` hold characters that a query must escape. */
export const FACET_VALUES: Readonly<Record<FacetGroup, readonly string[]>> = {
  Brand: ['ACME+CO', 'Fern & Field', 'Halden', 'Juniper Lane', 'Marlow', 'Oslo House', 'Tideline'],
  Color: [
    'Black',
    'Blue',
    'Charcoal',
    'Clay',
    'Gray',
    'Green',
    'Ivory',
    'Navy',
    'Ochre',
    'Rose',
    'Sage',
    'Terracotta',
    'White',
  ],
  Silhouette: [
    'Bath Rugs',
    'Bath Towels',
    'Beach Towels',
    'Blankets',
    'Coffee Mugs',
    'Curtains',
    'Duvet Covers',
    'Storage Baskets',
    'Table Lamps',
    'Throw Pillows',
    'Vases',
  ],
};

const QUALITIES = ['Soft', 'Washed', 'Ribbed', 'Woven', 'Textured', 'Classic', 'Everyday', 'Handmade', 'Quilted'];
const DAY = 86_400_000;
const FIRST_DAY = Date.UTC(2025, 0, 1);

/** All products of one seed: nothing is kept in memory, each product is computed when it is asked for. */
export interface Assortment {
  readonly size: number;
  /** The product of that id, or undefined when the shop never sold it. */
  product(id: number): Product | undefined;
  /** Ids, ascending, whose value in every named group is one of those given. No group: every id. */
  matching(wanted: ReadonlyMap<FacetGroup, ReadonlySet<string>>): Generator<number>;
}

/** Turns words into a URL slug: lower case, hyphens, ASCII letters and digits only. */
export function slugOf(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** The assortment of that many products (ids 1 to `size`); the same seed gives the same products in every size. */
export function createAssortment(size: number, seed: number): Assortment {
  const shift = digest(`shift ${seed}`).readUInt16BE(0);
  const valueOf = (group: FacetGroup, id: number): string => {
    const values = FACET_VALUES[group];
    return values[(id + shift) % values.length] ?? '';
  };
  return {
    size,
    product(id) {
      if (!Number.isSafeInteger(id) || id < 1 || id > size) return undefined;
      return describe(id, digest(`${seed} ${id}`), {
        Brand: valueOf('Brand', id),
        Color: valueOf('Color', id),
        Silhouette: valueOf('Silhouette', id),
      });
    },
    *matching(wanted) {
      const tests = [...wanted];
      for (let id = 1; id <= size; id += 1) {
        if (tests.every(([group, values]) => values.has(valueOf(group, id)))) yield id;
      }
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function describe(id: number, bytes: Buffer, facets: Record<FacetGroup, string>): Product {
  const quality = QUALITIES[bytes.readUInt8(0) % QUALITIES.length] ?? 'Classic';
  const thing = facets.Silhouette.replace(/s$/, '');
  const name = `${quality} ${thing} in ${facets.Color}`;
  return {
    id,
    name,
    slug: slugOf(`${facets.Brand} ${name}`),
    brand: facets.Brand,
    colour: facets.Color,
    silhouette: facets.Silhouette,
    cents: 900 + (bytes.readUInt16BE(1) % 180) * 100 + 99,
    rating: (30 + (bytes.readUInt8(3) % 21)) / 10,
    reviews: 3 + (bytes.readUInt16BE(4) % 800),
    description:
      `${article(quality)} ${quality.toLowerCase()} ${thing.toLowerCase()} by ${facets.Brand}, ` +
      `in a ${facets.Color.toLowerCase()} that goes with nearly everything. Made to be used every day and to last for years.`,
    touchedAt: FIRST_DAY + (bytes.readUInt16BE(6) % 500) * DAY,
  };
}

function article(word: string): string {
  return /^[AEIOU]/.test(word) ? 'An' : 'A';
}
