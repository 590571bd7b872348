import { nothing } from 'lit';
import { Directive, directive, type ElementPart, type PartInfo, PartType } from 'lit/directive.js';

type Styles = Readonly<Record<string, string>>;

class Styled extends Directive {
  private last: Styles = {};

  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error('styled() stands on an element');
  }

  render(_styles: Styles): typeof nothing {
    return nothing;
  }

  override update(part: ElementPart, [styles]: [Styles]): typeof nothing {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(styles)) if (this.last[name] !== value) style.setProperty(name, value);
    this.last = styles;
    return nothing;
  }
}

/**
 * Sizes and places that depend on data. Set through the object model, because the page's content security policy refuses
 * style attributes. The same names each time.
 */
export const styled = directive(Styled);

/** `12.5%`, of a share from 0 to 1. */
export const percent = (share: number): string => `${share * 100}%`;
