import { Problem } from '../problem.ts';

/** Reasons in Drive's errors, by status. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'authError',
  403: 'insufficientFilePermissions',
  404: 'notFound',
  409: 'conflict',
  429: 'userRateLimitExceeded',
  500: 'internalError',
  503: 'backendError',
};

/** A Drive error with its location. */
export class DriveProblem extends Problem {
  readonly reason: string;
  readonly location: { readonly location: string; readonly locationType: string } | null;

  constructor(code: number, reason: string, message: string, parameter: string | null = null) {
    super(code, message);
    this.reason = reason;
    this.location = parameter === null ? null : { location: parameter, locationType: 'parameter' };
  }
}

/** The body of Drive's error answers. */
export function toDriveBody(problem: Problem): object {
  const { code, message, status, details } = problem;
  const reason = problem instanceof DriveProblem ? problem.reason : (REASONS[code] ?? 'internalError');
  const location = problem instanceof DriveProblem ? problem.location : null;
  const domain = code === 429 ? 'usageLimits' : 'global';
  const more = details.length === 0 ? {} : { status, details };
  return { error: { code, message, errors: [{ domain, reason, message, ...location }], ...more } };
}

export function createFileNotFoundProblem(id: string): DriveProblem {
  return new DriveProblem(404, 'notFound', `File not found: ${id}.`, 'fileId');
}
