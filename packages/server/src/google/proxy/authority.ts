import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROXY_CERTIFICATE_DAYS } from '../../limits/google.ts';
import { type CertificateIdentity, createAuthority, createServerIdentity } from './certificates.ts';

/** The hosts that the proxy serves. The authority can sign only for them. */
export const GOOGLE_HOSTS = [
  'sheets.googleapis.com',
  'www.googleapis.com',
  'oauth2.googleapis.com',
  'accounts.google.com',
  'docs.google.com',
] as const;

const AUTHORITY_NAME = 'Cellwire google-proxy on this machine';
const DAY_MS = 24 * 60 * 60 * 1_000;
/** An authority that expires within this time is replaced at startup. */
const LEAST_LEFT_MS = 7 * DAY_MS;
/** Certificates are valid from this long before now, because clocks of clients may be behind. */
const BEFORE_MS = DAY_MS;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

interface ProxyAuthority {
  /** The path of the authority's certificate. */
  readonly certificatePath: string;
  readonly server: CertificateIdentity;
}

/**
 * Opens the authority in a folder, and signs a new certificate for the hosts. Creates the authority if there is none or
 * it is about to expire.
 */
export async function openAuthority(folder: string, now: number): Promise<ProxyAuthority> {
  const certificatePath = join(folder, 'ca.pem');
  const keyPath = join(folder, 'ca-key.pem');
  const validity = {
    from: new Date(now - BEFORE_MS),
    until: new Date(now + PROXY_CERTIFICATE_DAYS * DAY_MS - BEFORE_MS),
  };
  const identity = await readAuthority(certificatePath, keyPath, now);
  const authority = identity ?? createAuthority(AUTHORITY_NAME, GOOGLE_HOSTS, validity);
  if (identity === null) {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    await rm(keyPath, { force: true });
    await writeFile(keyPath, authority.key, { mode: PRIVATE_FILE, flag: 'wx' });
    await writeFile(certificatePath, authority.certificate);
  }
  const end = Date.parse(new X509Certificate(authority.certificate).validTo);
  const until = new Date(Math.min(end, validity.until.getTime()));
  return { certificatePath, server: createServerIdentity(authority, GOOGLE_HOSTS, { ...validity, until }) };
}

/** The stored certificate authority and its key; null if absent or about to expire. */
async function readAuthority(
  certificatePath: string,
  keyPath: string,
  now: number,
): Promise<CertificateIdentity | null> {
  if (!existsSync(certificatePath) || !existsSync(keyPath)) return null;
  const [certificate, key] = await Promise.all([readFile(certificatePath, 'utf8'), readFile(keyPath, 'utf8')]);
  const end = Date.parse(new X509Certificate(certificate).validTo);
  return end - now < LEAST_LEFT_MS ? null : { certificate, key };
}
