import type { PackageParts } from '../archive/package-parts.ts';

/** Measures the progress as the share of bytes of the large parts that were read. */
export class XlsxReadProgress {
  private readonly total: number;
  private readonly report: ((fraction: number) => void) | undefined;
  private done = 0;
  private reported = 0;

  constructor(
    parts: PackageParts,
    names: readonly (string | undefined)[],
    report: ((fraction: number) => void) | undefined,
  ) {
    this.total = names.reduce((sum, name) => sum + (name === undefined ? 0 : parts.size(name)), 0);
    this.report = report;
  }

  readonly addBytes = (bytes: number): void => {
    this.done += bytes;
    const percent = Math.floor((this.done / this.total) * 100);
    if (percent <= this.reported) return;
    this.reported = percent;
    this.report?.(percent / 100);
  };
}
