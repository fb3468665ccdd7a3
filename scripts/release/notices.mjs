// Third-party notices of a release: the licences as a text, and a CycloneDX list of components.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getPackageName } from './dependencies.mjs';

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
/** Node's licence. All packages of Node contain the same text; a checkout has the package of its platform. */
const NODE_PACKAGES = 'node_modules/node/node_modules';
const RULE = '-'.repeat(80);

/** Name, version, licence and text of the licence of each package. Throws if a package has no licence. */
export function formatLicences(root, lock, paths) {
  const entries = paths.map((path) => {
    const { version, license } = lock[path];
    if (!license) throw new Error(`${path} has no licence`);
    return `${RULE}\n${getPackageName(path)} ${version} (${license})\n${RULE}\n\n${readLicence(findPackageFolder(root, path), license)}\n`;
  });
  return `Cellwire contains third-party components under these licences.\n\n${entries.join('\n')}`;
}

function findPackageFolder(root, path) {
  if (existsSync(join(root, path))) return join(root, path);
  const ofNode = readdirSync(join(root, NODE_PACKAGES)).find((name) => /^node-(?:bin-)?(?:linux|darwin|win)-/.test(name));
  if (ofNode === undefined) throw new Error(`${path} is not installed`);
  return join(root, NODE_PACKAGES, ofNode);
}

/** Some packages name their licence only in the manifest. */
function readLicence(folder, license) {
  const files = readdirSync(folder).filter((name) => LICENCE_FILE.test(name));
  const texts = files.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim());
  if (texts.length > 0) return texts.join('\n\n');
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const by = typeof author === 'string' ? author : (author?.name ?? '');
  return `${license}${by === '' ? '' : `. Copyright ${by}`}. The package contains no licence text.`;
}

/** CycloneDX 1.6 as JSON: the program and all its components. */
export function createSbom(lock, paths, { name, version, commit, dependencies, at }) {
  const components = paths.map((path) => createComponent(path, lock[path]));
  const refs = new Map(components.map(({ 'bom-ref': ref }, i) => [paths[i], ref]));
  const root = createPackageUrl(name, version);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${computeUuid(`${root} ${commit}`)}`,
    version: 1,
    metadata: {
      timestamp: at,
      component: {
        type: 'application',
        'bom-ref': root,
        name,
        version,
        purl: root,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        properties: [{ name: 'cellwire:commit', value: commit }],
      },
    },
    components,
    dependencies: [
      { ref: root, dependsOn: paths.filter((path) => isDirectDependency(path, dependencies)).map((path) => refs.get(path)) },
      ...paths.map((path) => ({ ref: refs.get(path), dependsOn: listDependencyRefs(lock, path, refs) })),
    ],
  };
}

function createComponent(path, { version, license, integrity }) {
  const full = getPackageName(path);
  const [group, name] = full.startsWith('@') ? full.split('/') : [undefined, full];
  return {
    type: 'library',
    'bom-ref': `${createPackageUrl(full, version)}#${path}`,
    ...(group === undefined ? {} : { group }),
    name,
    version,
    purl: createPackageUrl(full, version),
    licenses: [/^[A-Za-z0-9.-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
    ...(integrity === undefined ? {} : { hashes: [createHashEntry(integrity)] }),
  };
}

/** `sha512-…` in base64 → SHA-512 in hex. */
function createHashEntry(integrity) {
  return { alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') };
}

function createPackageUrl(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/**
 * True if the program depends on a package directly. The console's libraries are direct dependencies, because they are
 * built into it.
 */
function isDirectDependency(path, dependencies) {
  return path === `node_modules/${getPackageName(path)}` && (getPackageName(path) in dependencies || /^react(-dom)?$/.test(getPackageName(path)));
}

function listDependencyRefs(lock, path, refs) {
  const names = Object.keys(lock[path].dependencies ?? {});
  const places = names.map((name) => [`${path}/node_modules/${name}`, `node_modules/${name}`]);
  return places.flatMap((candidates) => {
    const dependencyPath = candidates.find((candidate) => refs.has(candidate));
    return dependencyPath === undefined ? [] : [refs.get(dependencyPath)];
  });
}

/** Returns a UUID (version 8 of RFC 9562) that depends only on the text. */
function computeUuid(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
