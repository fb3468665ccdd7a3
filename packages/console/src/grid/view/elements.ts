export function createElement(className: string, role: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  element.setAttribute('role', role);
  return element;
}

/** Child elements that are reused by each drawing. */
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
  beginDrawing(): void {
    this.used = 0;
  }

  /** Returns the next element of the drawing, shown. */
  takeNext(): T {
    const element = this.elements[this.used++] ?? this.add();
    element.hidden = false;
    return element;
  }

  /** Ends a drawing: hides the unused elements. */
  endDrawing(): void {
    for (const element of this.elements.slice(this.used)) element.hidden = true;
  }

  private add(): T {
    const element = this.create();
    this.parent.append(element);
    this.elements.push(element);
    return element;
  }
}
