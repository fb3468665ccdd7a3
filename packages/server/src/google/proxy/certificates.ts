import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import * as der from './der.ts';

/** A certificate and its private key. */
export interface Identity {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

const ECDSA_WITH_SHA256 = der.sequence(der.objectId('1.2.840.10045.4.3.2'));
const CURVE = 'prime256v1';

/** Identifiers of extensions, RFC 5280 §4.2. */
const OF = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const DNS_NAME = 2;
const COMMON_NAME = '2.5.4.3';
const IP_ADDRESS = 7;
/** All addresses of IPv4 and IPv6, each with its mask. */
const EVERY_ADDRESS = [8, 32].map((bytes) => der.sequence(der.context(IP_ADDRESS, Buffer.alloc(bytes), false)));

interface Validity {
  readonly from: Date;
  readonly until: Date;
}

/** Creates an authority that can sign only for the given hosts (RFC 5280 §4.2.1.10). */
export function makeAuthority(name: string, hosts: readonly string[], validity: Validity): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: CURVE });
  const permitted = hosts.map((host) => der.sequence(der.context(DNS_NAME, Buffer.from(host), false)));
  const extensions = [
    extension(OF.basicConstraints, der.sequence(der.boolean(true), der.smallInteger(0)), true),
    // keyCertSign only.
    extension(OF.keyUsage, der.bitString(Buffer.from([0x04]), 2), true),
    extension(
      OF.nameConstraints,
      der.sequence(der.context(0, Buffer.concat(permitted), true), der.context(1, Buffer.concat(EVERY_ADDRESS), true)),
      true,
    ),
    extension(OF.subjectKeyId, der.octetString(keyId(publicKey))),
  ];
  const subject = encodeName(name);
  return signCertificate({ subject, issuer: subject, validity, publicKey, extensions }, privateKey, privateKey);
}

/** Creates a server certificate for the given hosts, signed by an authority. */
export function makeServerIdentity(authority: Identity, hosts: readonly string[], validity: Validity): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: CURVE });
  const issuer = new X509Certificate(authority.certificate);
  const names = hosts.map((host) => der.context(DNS_NAME, Buffer.from(host), false));
  const extensions = [
    extension(OF.basicConstraints, der.sequence(), true),
    // digitalSignature.
    extension(OF.keyUsage, der.bitString(Buffer.from([0x80]), 7), true),
    extension(OF.extendedKeyUsage, der.sequence(der.objectId(SERVER_AUTHENTICATION))),
    extension(OF.alternativeNames, der.sequence(...names)),
    extension(OF.authorityKeyId, der.sequence(der.context(0, keyId(issuer.publicKey), false))),
  ];
  const [, issuerName = ''] = /CN=(.*)$/m.exec(issuer.subject) ?? [];
  const parts = {
    subject: encodeName(hosts[0] ?? ''),
    issuer: encodeName(issuerName),
    validity,
    publicKey,
    extensions,
  };
  return signCertificate(parts, createPrivateKey(authority.key), privateKey);
}

interface CertificateParts {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly validity: Validity;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function signCertificate(
  { subject, issuer, validity, publicKey, extensions }: CertificateParts,
  signer: KeyObject,
  own: KeyObject,
): Identity {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const content = der.sequence(
    der.context(0, der.smallInteger(2), true),
    der.integer(serial),
    ECDSA_WITH_SHA256,
    issuer,
    der.sequence(der.utcTime(validity.from), der.utcTime(validity.until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.context(3, der.sequence(...extensions), true),
  );
  const signature = sign('sha256', content, signer);
  const bytes = der.sequence(content, ECDSA_WITH_SHA256, der.bitString(signature));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: own.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [der.boolean(true)] : [];
  return der.sequence(der.objectId(id), ...critical, der.octetString(value));
}

function encodeName(commonName: string): Buffer {
  return der.sequence(der.set(der.sequence(der.objectId(COMMON_NAME), der.utf8(commonName))));
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}
