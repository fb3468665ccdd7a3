// JavaScript runtimes in which packages are tested: their npm packages, and the commands that run a module.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const RUNTIMES = {
  node20: { package: 'node@20', program: 'node/bin/node', args: [] },
  node22: { package: 'node@22', program: 'node/bin/node', args: [] },
  node24: { package: 'node@24', program: 'node/bin/node', args: [] },
  node26: { package: 'node@26', program: 'node/bin/node', args: [] },
  deno: { package: 'deno@2', program: '.bin/deno', args: ['run', '-A', '--no-config'] },
  bun: { package: 'bun@1', program: '.bin/bun', args: ['run'] },
  workerd: { package: 'workerd@1', program: 'workerd/bin/workerd', args: [] },
};

/** Installs a runtime in its own folder below `folder` and returns the program and arguments that run a module. */
export function installRuntime(name, folder) {
  const { package: packageName, program, args } = RUNTIMES[name];
  const runtimeFolder = join(folder, name);
  execFileSync('npm', ['install', '--prefix', runtimeFolder, '--no-save', '--loglevel=error', packageName], {
    stdio: 'inherit',
  });
  return [join(runtimeFolder, 'node_modules', program), ...args];
}
