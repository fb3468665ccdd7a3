import type { GridController } from '../controller/grid-controller.ts';
import type { LongTask } from '../controller/grid-state.ts';

/** Shows the progress of a long task until it ends. */
export class TransferProgress {
  isCancelled = false;
  private readonly controller: GridController;
  private readonly kind: LongTask['kind'];
  private readonly total: number;

  constructor(controller: GridController, kind: LongTask['kind'], total: number) {
    this.controller = controller;
    this.kind = kind;
    this.total = total;
    this.show(0);
  }

  /** Waits until the page has drawn and handled input. `doneCount` has the unit of `total`. */
  async show(doneCount: number): Promise<void> {
    const { kind, total } = this;
    const cancel = () => {
      this.isCancelled = true;
    };
    this.controller.setState({ task: { kind, done: doneCount, total, cancel } });
    await new Promise((resolve) => setTimeout(resolve));
  }

  end(): void {
    this.controller.setState({ task: null });
  }
}
