// Runs the project's commands on any Node from 20: installs their dependencies, then starts the pinned Node.
// Plain JavaScript with only Node's built-in modules, because it runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const binaries = join(root, 'node_modules', '.bin')
const stampFile = join(root, 'node_modules', '.trellis-installed')
const node = join(binaries, 'node')
const main = (...path) => [node, join(root, ...path)]
const tool = (name, ...args) => [join(binaries, name), ...args]

const generate = [
  tool('buf', 'generate', '--template', 'protos/buf.gen.yaml'),
  tool('buf', 'generate', '--template', 'protos/vendor/buf.gen.yaml'),
  tool('buf', 'generate', '--template', 'test/probe/buf.gen.yaml'),
  main('operator', 'src', 'crds', 'main.ts'),
  main('deploy', 'chart', 'main.ts'),
  main('test', 'reference', 'coverage', 'main.ts'),
]

/** Builds the web app if its sources have changed. It never fails: without pages the API still runs, and pages say so. */
const web = main('services', 'web', 'build', 'main.ts')

/** Models need a package of nearly 300 MB, of a workspace that is installed only if a model is configured. */
const namesModel = Object.entries(process.env).some(
  ([name, value]) => /^(?:SERVICE_[A-Z]+_|MUSIC_STEMS_|MUSIC_)MODEL$/.test(name) && value,
)
const toRun = namesModel ? 'run-with-models' : 'run'

/** What each command installs (`run`: runtime dependencies only; `all`: also the tools) and the steps that it runs in order. */
const commands = {
  start: { install: toRun, steps: [web, main('services', 'all-in-one', 'src', 'supervisor', 'main.ts')] },
  'start:distributed': { install: 'all', steps: [web, main('services', 'distributed', 'src', 'main.ts')] },
  trellis: { install: toRun, steps: [main('services', 'cli', 'src', 'main.ts')], isInPlace: true },
  web: { install: 'run', steps: [web] },
  install: { install: 'all', steps: [] },
  test: { install: 'all', steps: [main('test', 'run', 'main.ts')] },
  'test:all': { install: 'all', steps: [main('test', 'run', 'main.ts').concat('--all')] },
  'test:long': { install: 'all', steps: [main('test', 'run', 'long.ts')] },
  'test:cluster': { install: 'all', steps: [main('test', 'run', 'main.ts').concat('--project', 'cluster*')] },
  bench: { install: 'all', steps: [main('test', 'bench', 'main.ts')] },
  screens: { install: 'all', steps: [main('services', 'web', 'test', 'screens', 'main.ts')] },
  'logs:formats': {
    install: 'run',
    steps: [main('services', 'logs', 'src', 'formats', 'command', 'main.ts').concat('formats')],
  },
  generate: { install: 'all', steps: generate },
  'images:bundle': { install: 'all', steps: [main('deploy', 'images', 'build.ts')] },
  'images:sbom': { install: 'all', steps: [main('deploy', 'images', 'sbom.ts')] },
  'protos:release': {
    install: 'all',
    steps: [tool('buf', 'build', 'protos', '--exclude-source-info', '-o', 'protos/released.binpb')],
  },
  check: {
    install: 'all',
    steps: [
      tool('tsc', '--noEmit'),
      main('services', 'web', 'build', 'check.ts'),
      tool('biome', 'check'),
      tool('buf', 'lint'),
      main('test', 'words', 'main.ts'),
    ],
  },
  format: { install: 'all', steps: [tool('biome', 'check', '--write')] },
}

const fail = (sentence) => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const environment = () => ({
  ...process.env,
  PATH: `${binaries}${delimiter}${process.env.PATH ?? ''}`,
  // Skips the installer of the model runtime, which would download GPU files; the package suffices for a CPU.
  ONNXRUNTIME_NODE_INSTALL: 'skip',
  // By default glibc retains freed memory in an arena per thread; two arenas are enough, as in the image.
  MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2',
  // Caches compiled code for the next start and for threads that start later.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled'),
})

const lockDigest = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')

const isInstalled = (desired) => {
  if (!existsSync(stampFile) || !existsSync(node)) return false
  const [digest, extent] = readFileSync(stampFile, 'utf8').trim().split(' ')
  return digest === lockDigest() && (extent === 'all' || extent === desired || extent === `${desired}-with-models`)
}

/** Runs npm; its output is printed only if it fails. */
const npm = (args) => {
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    env: environment(),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status === 0) return
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${error ? `${error.message}\n` : ''}`)
  fail(`Installing failed at "npm ${args.join(' ')}". Check the connection to the npm registry, then try again.`)
}

const workspaces = (desired) =>
  ['all-in-one', 'web', 'cli', ...(desired === 'run-with-models' ? ['model-runtime'] : [])].map(
    (name) => `--workspace=services/${name}`,
  )

const install = (desired) => {
  const began = Date.now()
  process.stderr.write(
    desired === 'all' ? 'Installing Trellis and its tools (once) ...\n' : 'Installing Trellis (once) ...\n',
  )
  // Install scripts of packages are not run: only the one that installs the Node binary is needed.
  // `install --no-save` instead of `ci`, which fails if a registry lacks the packages of other platforms.
  npm([
    'install',
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    // `run` installs only the all-in-one service, the web app and the command line; the operator and the tools are installed with `all`.
    ...(desired === 'all' ? [] : ['--omit=dev', '--include-workspace-root', ...workspaces(desired)]),
  ])
  process.stderr.write('Installing Node ...\n')
  npm(['rebuild', 'node', '--ignore-scripts=false', '--foreground-scripts=false', '--loglevel=error'])
  if (!existsSync(node)) fail('Node could not be installed: the package "node" has no binary for this system.')
  writeFileSync(stampFile, `${lockDigest()} ${desired}\n`)
  process.stderr.write(`Installed in ${Math.round((Date.now() - began) / 1000)} s.\n`)
}

/** Ends the child when npm ends: a kill by pid ends only npm and its shell, and the child would keep its port. */
const followNpm = (child) => {
  if (process.env.npm_lifecycle_event === undefined) return
  const shell = process.ppid
  const watching = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watching)
    child.kill('SIGTERM')
  }, 500)
  watching.unref()
}

const run = ([command, ...args], directory) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: directory, env: environment(), stdio: 'inherit' })
    // The child handles signals itself, and Ctrl-C reaches it through the terminal; this process only waits for it.
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    process.on('SIGINT', () => undefined)
    followNpm(child)
    child.on('error', (error) => fail(`${command} could not be started: ${error.message}`))
    child.on('exit', (code, signal) => resolve(signal ? 128 + (signal === 'SIGTERM' ? 15 : 9) : code))
  })

const [name = '', ...args] = process.argv.slice(2)
const command = commands[name]
if (!command) fail(`"${name}" is not a command of this project. Commands: ${Object.keys(commands).join(', ')}.`)
if (Number(process.versions.node.split('.')[0]) < 20)
  fail(`Node ${process.versions.node} is too old. Install Node 20 or later.`)
if (!isInstalled(command.install)) install(command.install)
// npm changes the directory to that of the package, and names that of its caller.
const directory = command.isInPlace ? (process.env.INIT_CWD ?? process.cwd()) : root
for (const [index, step] of command.steps.entries()) {
  const code = await run(index === command.steps.length - 1 ? [...step, ...args] : step, directory)
  if (code !== 0) process.exit(code)
}
