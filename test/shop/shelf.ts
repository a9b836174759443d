import type { Assortment, FacetGroup, Product } from './assortment.ts';

/** A product as the shop offers it now. */
export interface Offer extends Product {
  readonly inStock: boolean;
  /** Path of the spelling that the sitemap lists. */
  readonly path: string;
  /** Last change, ms since 1970, whole seconds. */
  readonly changedAt: number;
}

/** The current offers: the assortment plus what was changed since. Memory grows with the number of changed products only. */
export interface Shelf {
  readonly size: number;
  /** When a product last entered, left or was renamed in the sitemap; ms, whole seconds; 0 when never. */
  listingChangedAt(): number;
  /** How many products the sitemap lists. */
  listedCount(): number;
  offer(id: number): Offer | undefined;
  /** Offers in stock, in order of id, from a position among those in stock. */
  listed(from: number, count: number): Offer[];
  /** Offers in stock that match, and how many there are in all. */
  find(wanted: ReadonlyMap<FacetGroup, ReadonlySet<string>>, limit: number): { total: number; offers: Offer[] };
  /** The first offers in stock that match; looks no further than it must. */
  first(wanted: ReadonlyMap<FacetGroup, ReadonlySet<string>>, count: number): Offer[];
  setPrice(id: number, cents: number): void;
  setSlug(id: number, slug: string): void;
  setInStock(id: number, inStock: boolean): void;
  /** Back to the assortment as it opened. Change times go on counting up. */
  reset(): void;
}

interface Change {
  cents?: number;
  slug?: string;
  at: number;
}

/** Opens the shelf over an assortment. `now` gives ms since 1970. */
export function createShelf(assortment: Assortment, now: () => number): Shelf {
  const changes = new Map<number, Change>();
  const soldOut = new Set<number>();
  let lastChange = 0;
  let listingChange = 0;

  // HTTP dates count seconds; two changes within one would look like one to a conditional request.
  const tick = (): number => {
    lastChange = Math.max(Math.floor(now() / 1000) * 1000, lastChange + 1000);
    return lastChange;
  };
  const change = (id: number, what: Omit<Change, 'at'>): void => {
    changes.set(id, { ...changes.get(id), ...what, at: tick() });
  };

  const offer = (id: number): Offer | undefined => {
    const product = assortment.product(id);
    if (product === undefined) return undefined;
    const changed = changes.get(id);
    const slug = changed?.slug ?? product.slug;
    return {
      ...product,
      slug,
      cents: changed?.cents ?? product.cents,
      inStock: !soldOut.has(id),
      path: `/product/prd-${id}/${slug}.jsp`,
      changedAt: changed?.at ?? product.touchedAt,
    };
  };

  return {
    size: assortment.size,
    listingChangedAt: () => listingChange,
    listedCount: () => assortment.size - soldOut.size,
    offer,
    listed(from, count) {
      let id = from + 1;
      for (const gone of [...soldOut].sort((a, b) => a - b)) if (gone <= id) id += 1;
      const offers: Offer[] = [];
      for (; id <= assortment.size && offers.length < count; id += 1) {
        const found = soldOut.has(id) ? undefined : offer(id);
        if (found) offers.push(found);
      }
      return offers;
    },
    find(wanted, limit) {
      const offers: Offer[] = [];
      let total = 0;
      for (const id of assortment.matching(wanted)) {
        if (soldOut.has(id)) continue;
        total += 1;
        const found = total <= limit ? offer(id) : undefined;
        if (found) offers.push(found);
      }
      return { total, offers };
    },
    first(wanted, count) {
      const offers: Offer[] = [];
      for (const id of assortment.matching(wanted)) {
        const found = soldOut.has(id) ? undefined : offer(id);
        if (found && offers.push(found) >= count) break;
      }
      return offers;
    },
    setPrice: (id, cents) => change(id, { cents }),
    setSlug(id, slug) {
      change(id, { slug });
      listingChange = lastChange;
    },
    setInStock(id, inStock) {
      if (inStock === !soldOut.has(id)) return;
      if (inStock) soldOut.delete(id);
      else soldOut.add(id);
      change(id, {});
      listingChange = lastChange;
    },
    reset() {
      if (changes.size === 0) return;
      changes.clear();
      soldOut.clear();
      listingChange = tick();
    },
  };
}
