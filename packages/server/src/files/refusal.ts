/** A file that cannot be imported or exported: why, and what to do about it. For people; one or two sentences. */
export interface FileRefusal {
  readonly kind: 'refusal';
  readonly message: string;
}

export function refuse(message: string): FileRefusal {
  return { kind: 'refusal', message };
}

export function isRefusal(value: unknown): value is FileRefusal {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refusal';
}
