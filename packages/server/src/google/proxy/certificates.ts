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
export interface CertificateIdentity {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

const ECDSA_WITH_SHA256 = der.encodeSequence(der.encodeObjectId('1.2.840.10045.4.3.2'));
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
const EVERY_ADDRESS = [8, 32].map((bytes) =>
  der.encodeSequence(der.encodeContextElement(IP_ADDRESS, Buffer.alloc(bytes), false)),
);

interface ValidityPeriod {
  readonly from: Date;
  readonly until: Date;
}

/** Creates an authority that can sign only for the given hosts (RFC 5280 §4.2.1.10). */
export function createAuthority(name: string, hosts: readonly string[], validity: ValidityPeriod): CertificateIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: CURVE });
  const permitted = hosts.map((host) =>
    der.encodeSequence(der.encodeContextElement(DNS_NAME, Buffer.from(host), false)),
  );
  const extensions = [
    encodeExtension(OF.basicConstraints, der.encodeSequence(der.encodeBoolean(true), der.encodeSmallInteger(0)), true),
    // The key may only sign certificates (keyCertSign).
    encodeExtension(OF.keyUsage, der.encodeBitString(Buffer.from([0x04]), 2), true),
    encodeExtension(
      OF.nameConstraints,
      der.encodeSequence(
        der.encodeContextElement(0, Buffer.concat(permitted), true),
        der.encodeContextElement(1, Buffer.concat(EVERY_ADDRESS), true),
      ),
      true,
    ),
    encodeExtension(OF.subjectKeyId, der.encodeOctetString(computeKeyId(publicKey))),
  ];
  const subject = encodeName(name);
  return signCertificate({ subject, issuer: subject, validity, publicKey, extensions }, privateKey, privateKey);
}

/** Creates a server certificate for the given hosts, signed by an authority. */
export function createServerIdentity(
  authority: CertificateIdentity,
  hosts: readonly string[],
  validity: ValidityPeriod,
): CertificateIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: CURVE });
  const issuer = new X509Certificate(authority.certificate);
  const names = hosts.map((host) => der.encodeContextElement(DNS_NAME, Buffer.from(host), false));
  const extensions = [
    encodeExtension(OF.basicConstraints, der.encodeSequence(), true),
    // digitalSignature.
    encodeExtension(OF.keyUsage, der.encodeBitString(Buffer.from([0x80]), 7), true),
    encodeExtension(OF.extendedKeyUsage, der.encodeSequence(der.encodeObjectId(SERVER_AUTHENTICATION))),
    encodeExtension(OF.alternativeNames, der.encodeSequence(...names)),
    encodeExtension(
      OF.authorityKeyId,
      der.encodeSequence(der.encodeContextElement(0, computeKeyId(issuer.publicKey), false)),
    ),
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
  readonly validity: ValidityPeriod;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function signCertificate(
  { subject, issuer, validity, publicKey, extensions }: CertificateParts,
  signer: KeyObject,
  privateKey: KeyObject,
): CertificateIdentity {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const content = der.encodeSequence(
    der.encodeContextElement(0, der.encodeSmallInteger(2), true),
    der.encodeInteger(serial),
    ECDSA_WITH_SHA256,
    issuer,
    der.encodeSequence(der.encodeUtcTime(validity.from), der.encodeUtcTime(validity.until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.encodeContextElement(3, der.encodeSequence(...extensions), true),
  );
  const signature = sign('sha256', content, signer);
  const bytes = der.encodeSequence(content, ECDSA_WITH_SHA256, der.encodeBitString(signature));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function encodeExtension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [der.encodeBoolean(true)] : [];
  return der.encodeSequence(der.encodeObjectId(id), ...critical, der.encodeOctetString(value));
}

function encodeName(commonName: string): Buffer {
  return der.encodeSequence(
    der.encodeSet(der.encodeSequence(der.encodeObjectId(COMMON_NAME), der.encodeUtf8(commonName))),
  );
}

/** The SHA-1 hash of a public key, by which certificates refer to it. */
function computeKeyId(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}
