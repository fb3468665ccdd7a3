import type { Desk } from '../controller/grid-controller.ts';
import type { Work } from '../controller/grid-state.ts';

/** Shows how far something long is, until it is ended. */
export class Progress {
  isCancelled = false;
  private readonly desk: Desk;
  private readonly kind: Work['kind'];
  private readonly total: number;

  constructor(desk: Desk, kind: Work['kind'], total: number) {
    this.desk = desk;
    this.kind = kind;
    this.total = total;
    this.show(0);
  }

  /** Lets the page show it, and others act. */
  async show(done: number): Promise<void> {
    const { kind, total } = this;
    const cancel = () => {
      this.isCancelled = true;
    };
    this.desk.become({ work: { kind, done, total, cancel } });
    await new Promise((resolve) => setTimeout(resolve));
  }

  end(): void {
    this.desk.become({ work: null });
  }
}
