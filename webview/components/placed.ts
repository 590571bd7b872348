import { nothing } from 'lit';
import { Directive, directive, type ElementPart, type PartInfo, PartType } from 'lit/directive.js';

class Placed extends Directive {
  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error('placed() stands on an element');
  }

  render(_left: number, _width: number): typeof nothing {
    return nothing;
  }

  override update(part: ElementPart, [left, width]: [number, number]): typeof nothing {
    const { style } = part.element as HTMLElement;
    style.left = `${left * 100}%`;
    style.width = `${width * 100}%`;
    return nothing;
  }
}

/**
 * Places an element in its line by shares (0…1) of the line's width. Set through the object model, because the
 * page's content security policy refuses style attributes.
 */
export const placed = directive(Placed);
