/** The little of a DOM that the shop's script uses: elements remember their properties and children, and do nothing else. */
export class FakeElement {
  readonly children: (FakeElement | string)[] = [];
  readonly tag: string;
  textContent = '';
  hidden = true;

  constructor(tag: string) {
    this.tag = tag;
  }

  append(...children: (FakeElement | string)[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: (FakeElement | string)[]): void {
    this.children.splice(0, Infinity, ...children);
  }

  removeAttribute(): void {
    // Nothing reads attributes here.
  }

  /** Every element below, in document order. */
  descendants(): FakeElement[] {
    return this.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...child.descendants()]));
  }

  /** All text below. */
  text(): string {
    const below = this.children.map((child) => (typeof child === 'string' ? child : child.text()));
    return [this.textContent, ...below].join(' ').trim();
  }

  /** A property that the script assigned. */
  get(name: string): unknown {
    return (this as Record<string, unknown>)[name];
  }
}

/** A document whose elements come into being when they are looked up by id. */
export class FakeDocument {
  title = '';
  readonly head = new FakeElement('head');
  readonly body: { dataset: Record<string, string> };
  readonly elements = new Map<string, FakeElement>();

  /** Takes the body's data attributes from the server's HTML. */
  constructor(html: string) {
    const tag = /<body ([^>]*)>/.exec(html)?.[1] ?? '';
    const attributes = [...tag.matchAll(/data-(\w+)="([^"]*)"/g)];
    this.body = { dataset: Object.fromEntries(attributes.map(([, name = '', value = '']) => [name, value])) };
  }

  createElement(tag: string): FakeElement {
    return new FakeElement(tag);
  }

  getElementById(id: string): FakeElement {
    const element = this.elements.get(id) ?? new FakeElement('div');
    this.elements.set(id, element);
    return element;
  }

  querySelector(selector: string): FakeElement {
    return this.getElementById(selector);
  }
}
