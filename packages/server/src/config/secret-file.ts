import type { SettingChecks } from './checks.ts';

/** The trimmed text of a file that contains a secret; null: it cannot be read, which is reported as a problem. */
export function readSecretFile(
  path: unknown,
  name: string,
  readText: (path: string) => string,
  checks: SettingChecks,
): string | null {
  try {
    return readText(checks.parseText(path, name, '')).trim();
  } catch (error) {
    checks.problems.push(`${name}: ${path} cannot be read: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}
