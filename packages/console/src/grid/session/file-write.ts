import { uploadFile } from '../../data/file-upload.ts';
import type { KeyedWrite } from './write-queue.ts';

/** Progress and end of a file that is sent. */
export interface FileSending {
  /** Gets the part that is sent, from 0 to 1. */
  readonly onSent: (part: number) => void;
  readonly signal: AbortSignal;
}

/** A write whose body is a file. */
export function fileWrite<T>(address: string, file: File, options: FileSending): KeyedWrite<T> {
  return (key) => uploadFile<T>(address, file, { ...options, headers: { 'idempotency-key': key } });
}
