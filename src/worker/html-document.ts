import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5';

/** An element of a parsed page. */
export interface PageElement {
  /** Lower-case for HTML elements. */
  name: string;
  /** Attribute names lower-case; the first of a name counts. */
  attributes: ReadonlyMap<string, string>;
  /** Directly in the head of the document. */
  inHead: boolean;
  /** Anywhere in a `<template>`: inert. */
  inTemplate: boolean;
  /** Offsets in the text of the page: from the start tag's `<` to behind the end tag. */
  start: number;
  end: number;
  /** Text of the direct text children. */
  text: string;
}

/** What is read from a page in one parse. */
export interface ParsedPage {
  elements: readonly PageElement[];
  /** Characters of the body's text that a reader sees, white space not counted. */
  visibleText: number;
}

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'iframe', 'noembed', 'noframes']);

/**
 * Parses a page as a browser with scripting does: what is in a comment, a script's text or `<noscript>` is no element.
 * Elements that the parser adds on its own have no place in the text and are left out. Never throws.
 */
export function parsePage(html: string): ParsedPage {
  const document = parse(html, { sourceCodeLocationInfo: true });
  const elements: PageElement[] = [];
  let visibleText = 0;
  // A stack of its own: deeply nested pages would overflow recursion.
  const stack: { node: Node; inHead: boolean; inTemplate: boolean; seen: boolean }[] = [
    { node: document, inHead: false, inTemplate: false, seen: true },
  ];
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { node } = item;
    if (defaultTreeAdapter.isTextNode(node)) {
      if (item.seen) visibleText += node.value.replace(/\s+/g, '').length;
      continue;
    }
    let { inTemplate, seen } = item;
    let inHead = false;
    const children: Node[] = 'childNodes' in node ? [...node.childNodes] : [];
    if (defaultTreeAdapter.isElementNode(node)) {
      const element = pageElement(node, item.inHead, item.inTemplate);
      if (element) elements.push(element);
      inHead = node.tagName === 'head' && !item.inTemplate;
      seen &&= !UNSEEN.has(node.tagName);
      if (node.tagName === 'template' && 'content' in node) {
        children.push(...node.content.childNodes);
        inTemplate = true;
      }
    }
    for (const child of children.reverse()) stack.push({ node: child, inHead, inTemplate, seen });
  }
  return { elements, visibleText };
}

function pageElement(node: Element, inHead: boolean, inTemplate: boolean): PageElement | null {
  const place = node.sourceCodeLocation;
  if (!place) return null;
  const text = node.childNodes.map((child) => (defaultTreeAdapter.isTextNode(child) ? child.value : '')).join('');
  return {
    name: node.tagName.toLowerCase(),
    attributes: new Map(node.attrs.map(({ name, value }) => [name.toLowerCase(), value])),
    inHead,
    inTemplate,
    start: place.startOffset,
    end: place.endOffset,
    text,
  };
}
