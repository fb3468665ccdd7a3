export function createElement(className: string, role: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  element.setAttribute('role', role);
  return element;
}

/** Child elements that are used again by each drawing, instead of being made anew. */
export class ElementPool<T extends HTMLElement> {
  private readonly parent: HTMLElement;
  private readonly create: () => T;
  private readonly elements: T[] = [];
  private used = 0;

  constructor(parent: HTMLElement, create: () => T) {
    this.parent = parent;
    this.create = create;
  }

  /** Begins a drawing. */
  begin(): void {
    this.used = 0;
  }

  /** The next element of the drawing, shown. */
  next(): T {
    const element = this.elements[this.used++] ?? this.add();
    element.hidden = false;
    return element;
  }

  /** Ends a drawing: hides the elements that it has not used. */
  end(): void {
    for (const element of this.elements.slice(this.used)) element.hidden = true;
  }

  private add(): T {
    const element = this.create();
    this.parent.append(element);
    this.elements.push(element);
    return element;
  }
}
