/** The result of one check of `cellwire doctor`. */
export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  /** The finding; for a failed check also what to do. */
  readonly message: string;
  /** Ids of the documents concerned. */
  readonly documents?: readonly string[];
  /** The rows concerned, in the form that `--accept` takes. */
  readonly rows?: readonly string[];
}

export function createPassedCheck(name: string, message: string): DoctorCheck {
  return { name, ok: true, message };
}

export function createFailedCheck(name: string, message: string): DoctorCheck {
  return { name, ok: false, message };
}
