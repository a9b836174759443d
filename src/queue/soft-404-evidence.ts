import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import type { Soft404Evidence } from '../url/soft-404.ts';

type Node = DefaultTreeAdapterTypes.Node;

/** Title and `h1` headings of a page, for rules that need no more; `hasSelector` says no. */
export function readSoft404Evidence(html: Buffer): Soft404Evidence {
  const document = parse(html.toString('utf8'));
  const titles: string[] = [];
  const headings: string[] = [];
  for (const node of elements(document)) {
    if (node.nodeName === 'title') titles.push(textOf(node));
    if (node.nodeName === 'h1') headings.push(textOf(node));
  }
  return { title: titles[0] ?? '', h1: headings, hasSelector: () => false };
}

function* elements(root: Node): Generator<Node> {
  const open: Node[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    // An inline SVG has titles of its own.
    if ('childNodes' in node && node.nodeName !== 'svg') open.push(...node.childNodes.toReversed());
  }
}

function textOf(root: Node): string {
  let text = '';
  for (const node of elements(root)) if (node.nodeName === '#text' && 'value' in node) text += node.value;
  return text.replace(/\s+/g, ' ').trim();
}
