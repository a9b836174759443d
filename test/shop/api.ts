import { FACET_GROUPS, FACET_VALUES } from './assortment.ts';
import { catalogPath, type Selection } from './facets.ts';
import type { Offer, Shelf } from './shelf.ts';

/** How many products one catalog page shows. */
export const GRID_SIZE = 38;

/** The data behind a product page, as `/api/product/<id>.json` gives it. `offer` is in or out of stock. */
export function productData(offer: Offer, shelf: Shelf, publicOrigin: string): object {
  const department = new Map([['Silhouette', new Set([offer.silhouette])]] as const);
  const related = shelf.first(department, 5).filter(({ id }) => id !== offer.id);
  return {
    ...card(offer),
    sku: `AL-${String(offer.id).padStart(6, '0')}`,
    canonical: publicOrigin + offer.path,
    description: offer.description,
    colour: offer.colour,
    department: { name: offer.silhouette, path: catalogPath(department) },
    related: related.slice(0, 4).map(card),
  };
}

/** The data behind a catalog page, as `/api/catalog.json` gives it. An unknown facet gives no products. */
export function catalogData(selection: Selection, shelf: Shelf, publicOrigin: string): object {
  const { total, offers } = selection.known ? shelf.find(selection.wanted, GRID_SIZE) : { total: 0, offers: [] };
  return {
    title: selection.title,
    canonical: publicOrigin + selection.canonicalPath,
    total,
    products: offers.map(card),
    facets: FACET_GROUPS.map((group) => ({
      group,
      values: FACET_VALUES[group].map((value) => ({
        value,
        selected: selection.wanted.get(group)?.has(value) ?? false,
        path: catalogPath(new Map(selection.wanted).set(group, new Set([value]))),
      })),
    })),
  };
}

function card(offer: Offer): object {
  return {
    id: String(offer.id),
    name: offer.name,
    brand: offer.brand,
    path: offer.path,
    image: `/i/${offer.id}.svg`,
    price: (offer.cents / 100).toFixed(2),
    currency: 'USD',
    inStock: offer.inStock,
    rating: offer.rating,
    reviews: offer.reviews,
  };
}
