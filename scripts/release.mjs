// Builds a release: node scripts/release.mjs [--to FOLDER]   (default: release). docs/release.md lists its files.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createShrinkwrap,
  listNodeDependencies,
  listPinnedDependencies,
  listProgramDependencies,
  listShippedPackages,
  readLock,
} from './release/dependencies.mjs';
import { createSbom, formatLicences } from './release/notices.mjs';
import { buildProgram } from './release/program.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ON_WINDOWS = process.platform === 'win32';
/** Documents that the package contains. */
const DOCUMENTS = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'docs', 'deploy'];

const [option, folder] = process.argv.slice(2);
if (option !== undefined && (option !== '--to' || folder === undefined)) {
  console.error('usage: node scripts/release.mjs [--to FOLDER]');
  process.exit(2);
}
buildRelease(resolve(folder ?? join(ROOT, 'release')));

function buildRelease(outputFolder) {
  rmSync(outputFolder, { recursive: true, force: true });
  mkdirSync(outputFolder, { recursive: true });
  const stage = mkdtempSync(join(tmpdir(), 'cellwire-release-'));
  try {
    const build = { version: readVersion('packages/server'), commit: readCommit() };
    runCommand(process.execPath, [join(ROOT, 'scripts/build-console.mjs')], ROOT);
    packEngine(stage, outputFolder);
    const program = packProgram(join(stage, 'program'), outputFolder, build);
    packImage(join(stage, 'image'), outputFolder, program, build);
    writeNotices(outputFolder, build);
    writeChecksums(outputFolder);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  for (const name of readdirSync(outputFolder)) console.log(join(outputFolder, name));
}

/** Packs a copy, because packing changes the manifest, and the checkout may be in use. */
function packEngine(stage, outputFolder) {
  const copy = join(stage, 'engine/packages/engine');
  cpSync(join(ROOT, 'packages/engine'), copy, { recursive: true, filter: (path) => !/\/(?:dist|locales)$/.test(path) });
  for (const name of ['LICENSE', 'tsconfig.base.json']) copyFileSync(join(ROOT, name), join(stage, 'engine', name));
  symlinkSync(join(ROOT, 'node_modules'), join(stage, 'engine/node_modules'), 'junction');
  const manifest = join(copy, 'package.json');
  writeJson(manifest, { ...JSON.parse(readFileSync(manifest, 'utf8')), ...createRepositoryMember('packages/engine') });
  packFolder(copy, outputFolder);
}

/** Returns the name of the file. */
function packProgram(stage, outputFolder, build) {
  buildProgram(ROOT, stage);
  const lock = readLock(ROOT);
  const { license, description, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const manifest = {
    name: 'cellwire',
    version: build.version,
    description,
    license,
    ...createRepositoryMember('packages/server'),
    type: 'module',
    bin: { cellwire: 'packages/server/bin/cellwire.mjs' },
    engines,
    dependencies: listPinnedDependencies(lock),
    optionalDependencies: listNodeDependencies(lock),
  };
  writeJson(join(stage, 'package.json'), manifest);
  writeJson(join(stage, 'npm-shrinkwrap.json'), createShrinkwrap(lock, manifest));
  writeJson(join(stage, 'packages/server/build.json'), build);
  writeFileSync(join(stage, 'THIRD-PARTY-LICENSES.txt'), formatLicences(ROOT, lock, listShippedPackages(lock)));
  for (const name of DOCUMENTS) cpSync(join(ROOT, name), join(stage, name), { recursive: true });
  chmodSync(join(stage, 'packages/server/bin/cellwire.mjs'), 0o755);
  return packFolder(stage, outputFolder);
}

/** Writes the files that `docker build` needs: the package and the Dockerfile. */
function packImage(stage, outputFolder, program, { version }) {
  mkdirSync(join(stage, 'deploy'), { recursive: true });
  copyFileSync(join(outputFolder, program), join(stage, 'cellwire.tgz'));
  copyFileSync(join(ROOT, 'deploy/image.Dockerfile'), join(stage, 'Dockerfile'));
  copyFileSync(join(ROOT, 'compose.yaml'), join(stage, 'compose.yaml'));
  for (const name of ['compose.json', 'nginx.conf'])
    copyFileSync(join(ROOT, 'deploy', name), join(stage, 'deploy', name));
  runCommand('tar', ['-czf', join(outputFolder, `cellwire-image-${version}.tar.gz`), '-C', stage, '.'], stage);
}

function writeNotices(outputFolder, { version, commit }) {
  const lock = readLock(ROOT);
  const shippedNames = listShippedPackages(lock);
  writeFileSync(join(outputFolder, 'THIRD-PARTY-LICENSES.txt'), formatLicences(ROOT, lock, shippedNames));
  const dependencies = { ...listProgramDependencies(lock), ...listNodeDependencies(lock) };
  const about = { name: 'cellwire', version, commit, dependencies, at: readCommitTime() };
  writeJson(join(outputFolder, `cellwire-${version}.cdx.json`), createSbom(lock, shippedNames, about));
  copyFileSync(join(ROOT, 'SECURITY.md'), join(outputFolder, 'SECURITY.md'));
}

/** Checksums in the format of `sha256sum --check`. */
function writeChecksums(outputFolder) {
  const lines = readdirSync(outputFolder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(outputFolder, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(outputFolder, 'SHA256SUMS'), lines.join(''));
}

/** Runs `npm pack` in a folder and returns the name of its file. */
function packFolder(folder, outputFolder) {
  const namesBefore = new Set(readdirSync(outputFolder));
  runCommand('npm', ['pack', '--silent', '--pack-destination', outputFolder], folder);
  const [packedFile] = readdirSync(outputFolder).filter((name) => !namesBefore.has(name));
  if (packedFile === undefined) throw new Error(`npm pack created no file from ${folder}`);
  return packedFile;
}

function runCommand(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 2, 2], shell: ON_WINDOWS && command === 'npm' });
}

function readVersion(path) {
  return JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')).version;
}

function readCommit() {
  return runGit('rev-parse', 'HEAD') ?? 'unknown';
}

/** The time of the commit, so that the same commit always gives the same files; without a commit the current time. */
function readCommitTime() {
  return new Date(runGit('show', '-s', '--format=%cI', 'HEAD') ?? Date.now()).toISOString();
}

/** The member `repository` of a manifest, in a workflow that publishes. A registry requires it for a provenance. */
function createRepositoryMember(directory) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (!server || !name) return {};
  return { repository: { type: 'git', url: `git+${server}/${name}.git`, directory } };
}

/** Null if this is not a checkout or git is not installed. */
function runGit(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
