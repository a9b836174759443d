/** The shop's style sheet, `/assets/site.css`. */
export const CLIENT_STYLE = `@font-face { font-family: "Shop"; src: url("/fonts/inter.woff2") format("woff2"); font-display: swap; unicode-range: U+2605-2606; }
:root { --ink: #1f2421; --soft: #6b726d; --line: #e4e2dc; --paper: #fbfaf7; --card: #f1efe9; --leaf: #2f5d50; --clay: #b5543a; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 "Shop", system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
a { color: inherit; text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: 3px; }
img { display: block; max-width: 100%; height: auto; }
.banner { margin: 0; padding: 7px 16px; background: var(--leaf); color: #fff; font-size: 13px; text-align: center; }
.top { display: flex; align-items: center; gap: 32px; padding: 18px max(24px, calc(50vw - 600px)); background: #fff; border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: 10px; font-weight: 700; font-size: 20px; letter-spacing: -0.02em; white-space: nowrap; }
.brand:hover { text-decoration: none; }
.menu { display: flex; flex: 1; gap: 22px; overflow: hidden; font-size: 14px; white-space: nowrap; }
.cart { padding: 6px 16px; border: 1px solid var(--ink); border-radius: 999px; font-size: 14px; }
main { max-width: 1248px; min-height: 60vh; margin: 0 auto; padding: 24px; }
.crumbs { min-height: 24px; margin-bottom: 20px; color: var(--soft); font-size: 13px; }
.product { display: grid; grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); gap: 56px; align-items: start; }
.frame { display: block; aspect-ratio: 1; overflow: hidden; border-radius: 14px; background: var(--card); }
.frame img { width: 100%; }
.details h1 { margin: 4px 0 8px; font-size: 34px; line-height: 1.15; letter-spacing: -0.02em; }
.details p { margin: 0 0 12px; }
.price { font-size: 28px; font-weight: 600; }
.stars { color: var(--clay); font-size: 14px; }
.stock { font-size: 14px; font-weight: 600; }
.stock.in { color: var(--leaf); }
.stock.out { color: var(--clay); }
.buy { width: 100%; margin: 8px 0 24px; padding: 15px; border: 0; border-radius: 999px; background: var(--ink); color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
.buy:disabled { background: #d5d2ca; color: var(--soft); cursor: default; }
.description { color: #414742; }
.facts { display: grid; grid-template-columns: 110px 1fr; margin: 24px 0 0; border-top: 1px solid var(--line); font-size: 14px; }
.facts dt, .facts dd { margin: 0; padding: 10px 0; border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); }
.more { margin-top: 64px; }
.more h2 { font-size: 22px; letter-spacing: -0.01em; }
.listing { display: flex; align-items: baseline; justify-content: space-between; margin-bottom: 20px; }
.listing h1 { margin: 0; font-size: 32px; letter-spacing: -0.02em; }
.listing p { margin: 0; color: var(--soft); font-size: 14px; }
.shelf { display: grid; grid-template-columns: 190px 1fr; gap: 40px; align-items: start; }
.facets section { margin-bottom: 22px; }
.facets h2 { margin: 0 0 6px; font-size: 13px; letter-spacing: 0.06em; text-transform: uppercase; color: var(--soft); }
.facets ul { margin: 0; padding: 0; list-style: none; font-size: 14px; line-height: 1.9; }
.facets .selected { font-weight: 700; color: var(--leaf); }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 28px 24px; margin: 0; padding: 0; list-style: none; }
.card a { display: flex; flex-direction: column; gap: 2px; }
.card .frame { margin-bottom: 8px; }
.card-brand { color: var(--soft); font-size: 13px; }
.card-name { font-size: 15px; }
.card-price { font-weight: 600; }
.nothing { grid-column: 1 / -1; padding: 64px 0; color: var(--soft); text-align: center; }
.hero { padding: 72px 48px; border-radius: 18px; background: linear-gradient(120deg, #dfe8e2, #f3e4d8); }
.hero h1 { max-width: 560px; margin: 0 0 12px; font-size: 46px; line-height: 1.1; letter-spacing: -0.03em; }
.hero .buy { display: inline-block; width: auto; margin: 16px 0 0; padding: 13px 28px; }
.departments { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 16px; margin: 32px 0 0; padding: 0; list-style: none; }
.departments a { display: block; font-weight: 600; }
.departments .frame { margin-bottom: 8px; }
.bottom { margin-top: 72px; padding: 32px 24px; border-top: 1px solid var(--line); color: var(--soft); font-size: 13px; text-align: center; }
.bone { display: block; border-radius: 8px; background: linear-gradient(90deg, #ece9e2, #f6f4ef, #ece9e2); }
.bone-line { width: 180px; height: 16px; margin-bottom: 12px; }
.bone-title { width: 320px; max-width: 100%; height: 34px; margin-bottom: 12px; }
.bone-block { height: 180px; }
.bone-fill { width: 100%; height: 100%; }
.bone-card { aspect-ratio: 4 / 5; }
@media (max-width: 760px) {
  .menu { display: none; }
  .top { justify-content: space-between; }
  .product, .shelf { grid-template-columns: 1fr; gap: 28px; }
  .facets { display: none; }
  .grid { grid-template-columns: repeat(2, 1fr); gap: 20px 14px; }
  .details h1 { font-size: 27px; }
  .hero { padding: 44px 24px; }
  .hero h1 { font-size: 34px; }
}
`;
