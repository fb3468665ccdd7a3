import type { Area } from '@cellwire/engine';
import type { GridModel } from './grid-model.ts';
import { countCells, listSelectedRanges } from './selected-areas.ts';
import { MAX_COUNTED_AREAS, readDistinct, readStatistics } from './statistics.ts';

/** Delay before a new selection is counted, in milliseconds. */
const SETTLED_MS = 120;

/** Keeps the statistics of the selection up to date. */
export class SelectionCounter {
  private readonly model: GridModel;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Number of cell answers at the last count. */
  private countedAnswers = 0;
  /** Newest known revision at the last count. */
  private countedRevision: number | null = null;

  constructor(model: GridModel) {
    this.model = model;
    model.session.subscribe(() => {
      if (model.session.state.latestRevision !== this.countedRevision) this.scheduleCount();
    });
  }

  /** To be called after the selection has changed. */
  restart(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.scheduleCount();
  }

  /** To be called when cells may have arrived. */
  handleCellsChanged(): void {
    if (this.model.sheet.cells.answerCount !== this.countedAnswers) this.scheduleCount();
  }

  scheduleCount(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.countSelection();
    }, SETTLED_MS);
  }

  private async countSelection(): Promise<void> {
    const { model } = this;
    this.countedAnswers = model.sheet.cells.answerCount;
    this.countedRevision = model.session.state.latestRevision;
    const areas = listSelectedRanges(model);
    if (countCells(areas) < 2 || areas.length > MAX_COUNTED_AREAS) return;
    await this.readStatistics(areas);
  }

  /** An answer for an earlier selection is dropped. */
  private async readStatistics(areas: readonly Area[]): Promise<void> {
    const { model } = this;
    const { selection, filter, otherAreas, sheet } = model.state;
    const isSame = () => {
      const now = model.state;
      return (
        now.selection === selection && now.filter === filter && now.otherAreas === otherAreas && now.sheet === sheet
      );
    };
    const statistics = await readStatistics(model, areas);
    if (!isSame()) return;
    model.setState({ statistics });
    const distinct = statistics === null ? null : await readDistinct(model, areas);
    if (statistics !== null && distinct !== null && isSame())
      model.setState({ statistics: { ...statistics, distinct } });
  }
}
