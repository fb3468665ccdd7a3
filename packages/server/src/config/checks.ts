import { isIP } from 'node:net';

const HEX_KEY = /^[0-9a-fA-F]{64}$/;
/** Allowed parameters of the database's address. The driver knows them, and they affect only the connection. */
const DATABASE_PARAMETERS: ReadonlySet<string> = new Set([
  'host',
  'port',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'application_name',
  'connect_timeout',
  'options',
]);
const SSL_MODES: ReadonlySet<string> = new Set([
  'disable',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
  'no-verify',
]);
const BASE64_KEY = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Checks settings. Each method takes a raw value and the name of the setting. It returns the typed value, or reports a
 * problem that names the setting and returns the fallback.
 */
export class SettingChecks {
  readonly problems: string[] = [];

  /**
   * Records the problem `NAME must be …` and returns the fallback, so that all settings are checked before the report.
   */
  private reportProblem<T>(name: string, must: string, fallback: T): T {
    this.problems.push(`${name} must be ${must}`);
    return fallback;
  }

  /**
   * The members of a JSON object; none for an absent section. Any other value, and each member not in `names`, is
   * reported as a problem.
   */
  parseSection(value: unknown, name: string, names: readonly string[]): Readonly<Record<string, unknown>> {
    if (value === undefined) return {};
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.reportProblem(name, 'an object', {});
    for (const key of Object.keys(value)) {
      if (!names.includes(key)) this.problems.push(`Unknown setting ${name === '' ? key : `${name}.${key}`}`);
    }
    return value as Readonly<Record<string, unknown>>;
  }

  parseText(value: unknown, name: string, fallback: string): string {
    if (value === undefined) return fallback;
    return typeof value === 'string' && value.trim() !== ''
      ? value
      : this.reportProblem(name, 'a text that is not empty', fallback);
  }

  parseFlag(value: unknown, name: string, fallback: boolean): boolean {
    if (value === undefined) return fallback;
    return typeof value === 'boolean' ? value : this.reportProblem(name, 'true or false', fallback);
  }

  /** An integer from `min` to `max`. */
  parseInteger(value: unknown, name: string, fallback: number, min: number, max: number): number {
    if (value === undefined) return fallback;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    return this.reportProblem(name, `a whole number from ${min} to ${max}`, fallback);
  }

  /** Like `parseInteger`. Null is allowed and means that there is no limit. */
  parseIntegerOrNull(value: unknown, name: string, fallback: number | null, min: number, max: number): number | null {
    if (value === null) return null;
    if (value === undefined) return fallback;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    return this.reportProblem(name, `a whole number from ${min} to ${max}, or null for no limit`, fallback);
  }

  /** A number greater than 0 and at most `max`. */
  parsePositiveNumber(value: unknown, name: string, fallback: number, max: number): number {
    if (value === undefined) return fallback;
    if (typeof value === 'number' && value > 0 && value <= max) return value;
    return this.reportProblem(name, `a number greater than 0 and at most ${max}`, fallback);
  }

  parseFraction(value: unknown, name: string, fallback: number): number {
    if (value === undefined) return fallback;
    if (typeof value === 'number' && value >= 0 && value <= 1) return value;
    return this.reportProblem(name, 'a number from 0 to 1', fallback);
  }

  parseChoice<T extends string>(value: unknown, name: string, fallback: T, allowed: readonly T[]): T {
    if (value === undefined) return fallback;
    const found = allowed.find((item) => item === value);
    return found ?? this.reportProblem(name, `one of ${allowed.join(', ')}`, fallback);
  }

  /** The address of this service for browsers. It must have no path. */
  parsePublicUrl<T extends string | null>(value: unknown, name: string, fallback: T): string | T {
    const address = this.parseUrl(value, name, fallback);
    if (address === fallback || new URL(String(value)).pathname === '/') return address;
    return this.reportProblem(name, 'an address without a path: give the service a host name of its own', fallback);
  }

  /** An http or https address. The result has no trailing slash. */
  parseUrl<T extends string | null>(value: unknown, name: string, fallback: T): string | T {
    if (value === undefined) return fallback;
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
    const web = url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
    if (!web || url.search !== '' || url.hash !== '')
      return this.reportProblem(name, 'an http or https address', fallback);
    return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href;
  }

  /** A key of 32 bytes in hex or base64. The result is in hex. No message contains the key. */
  parseKey(value: unknown, name: string): string | null {
    if (value === undefined) return null;
    if (typeof value === 'string' && HEX_KEY.test(value)) return value.toLowerCase();
    if (typeof value === 'string' && BASE64_KEY.test(value)) return Buffer.from(value, 'base64').toString('hex');
    return this.reportProblem(
      name,
      '32 bytes as 64 hexadecimal digits or in base64, such as openssl rand -hex 32 prints',
      null,
    );
  }

  /** A `postgres://` address. No message contains it, because it may include a password. */
  parsePostgresUrl<T extends string | null>(value: unknown, name: string, fallback: T): string | T {
    if (value === undefined) return fallback;
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
    const isPostgres = url !== null && (url.protocol === 'postgres:' || url.protocol === 'postgresql:');
    if (!isPostgres)
      return this.reportProblem(name, 'an address like postgres://user:password@host:5432/database', fallback);
    for (const parameter of new Set(url.searchParams.keys())) {
      if (DATABASE_PARAMETERS.has(parameter)) continue;
      this.problems.push(`${name}: unknown parameter ${parameter}; known are ${[...DATABASE_PARAMETERS].join(', ')}`);
    }
    const mode = url.searchParams.get('sslmode');
    if (mode !== null && !SSL_MODES.has(mode)) {
      this.problems.push(`${name}: sslmode must be one of ${[...SSL_MODES].join(', ')}`);
    }
    return url.href;
  }

  parseTimeZone(value: unknown, name: string, fallback: string): string {
    if (value === undefined) return fallback;
    return typeof value === 'string' && isTimeZone(value)
      ? value
      : this.reportProblem(name, 'an IANA time zone', fallback);
  }

  /** A list of exactly `count` integers. */
  parseDelays(
    value: unknown,
    name: string,
    fallback: readonly number[],
    count: number,
    max: number,
  ): readonly number[] {
    if (value === undefined) return fallback;
    const valid = (item: unknown) => typeof item === 'number' && Number.isSafeInteger(item) && item >= 0 && item <= max;
    if (Array.isArray(value) && value.length === count && value.every(valid)) return value as readonly number[];
    return this.reportProblem(name, `an array of ${count} whole numbers from 0 to ${max}`, fallback);
  }

  parseAddressBlocks(value: unknown, name: string, fallback: readonly string[]): readonly string[] {
    if (value === undefined) return fallback;
    if (Array.isArray(value) && value.every(isCidr)) return value as readonly string[];
    return this.reportProblem(name, 'a list of CIDR blocks', fallback);
  }

  /** Host names without ports. The result is in lower case. */
  parseHosts(value: unknown, name: string, fallback: readonly string[]): readonly string[] {
    if (value === undefined) return fallback;
    if (Array.isArray(value) && value.every(isHost)) return value.map((host: string) => host.toLowerCase());
    return this.reportProblem(name, 'a list of names of hosts, such as sheets.example.com, without ports', fallback);
  }

  /** Origins in the form of the `Origin` header, or `*`. */
  parseOrigins(value: unknown, name: string, fallback: readonly string[]): readonly string[] {
    if (value === undefined) return fallback;
    if (Array.isArray(value) && value.every(isOrigin)) return value;
    return this.reportProblem(
      name,
      'a list of origins, such as https://app.example.com without a path, or ["*"]',
      fallback,
    );
  }

  /** True, false, or a list of CIDR blocks; the fallback if absent. Any other value is reported as a problem. */
  parseNetworks(value: unknown, name: string, fallback: boolean | readonly string[]): boolean | readonly string[] {
    if (value === undefined) return fallback;
    if (typeof value === 'boolean') return value;
    if (Array.isArray(value) && value.every(isCidr)) return value as readonly string[];
    return this.reportProblem(name, 'true, false or a list of CIDR blocks', fallback);
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const PREFIX = /^[0-9]{1,3}$/;

function isHost(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    URL.canParse(`http://${value}`) &&
    new URL(`http://${value}`).hostname === value.toLowerCase()
  );
}

function isCidr(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const [address = '', prefix = '', ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || !PREFIX.test(prefix)) return false;
  return Number(prefix) <= (version === 4 ? 32 : 128);
}

function isOrigin(text: unknown): text is string {
  if (text === '*') return true;
  return typeof text === 'string' && /^https?:/.test(text) && URL.parse(text)?.origin === text;
}
