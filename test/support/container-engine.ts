import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from './temporary-directory.ts'
import { whereIs } from './where-is.ts'

export type EngineName = 'docker' | 'podman'

const programs = { docker: ['dockerd', 'docker'], podman: ['podman', 'runc'] } as const satisfies Record<
  EngineName,
  readonly string[]
>

/** Why tests with a real container engine cannot run here. */
export const engineMissing = (engine: EngineName): string | undefined => {
  if (process.getuid?.() !== 0) return 'a container engine needs root'
  const missing = programs[engine].find((program) => whereIs(program) === undefined)
  return missing && `${missing} is not installed`
}

export type Engine = AsyncDisposable & {
  socket: string
  /** Runs an `sh` script in a container with `head`, `tr` and `sleep`, and waits until it has ended. Returns the container's id. */
  runContainer: (name: string, script: string, options?: readonly string[]) => string
  /** Runs the engine's command-line program. */
  engine: (...words: string[]) => string
  /** A folder with a wrapper of that program for this engine. */
  programs: string
}

/** Copies programs of this machine with their libraries into the root folder of an image. */
const makeRoot = (folder: string) => {
  const needed = ['sh', 'head', 'tr', 'sleep'].map((name) =>
    ['/bin', '/usr/bin'].map((directory) => join(directory, name)).find(existsSync),
  )
  const libraries = new Set<string>()
  for (const program of needed) {
    if (program === undefined) continue
    mkdirSync(join(folder, 'bin'), { recursive: true })
    cpSync(realpathSync(program), join(folder, 'bin', basename(program)))
    for (const [path] of execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/\/\S+/g)) libraries.add(path)
  }
  for (const library of libraries) {
    mkdirSync(join(folder, dirname(library)), { recursive: true })
    cpSync(realpathSync(library), join(folder, library))
  }
}

/** `command` is a shell command for the engine's program. */
type Started = { child: ChildProcess; socket: string; command: string }

const startDockerd = (folder: string): Started => {
  const at = (name: string) => join(folder, name)
  const socket = at('docker.sock')
  const words = ['-H', `unix://${socket}`, '--data-root', at('data'), '--exec-root', at('exec'), '-p', at('pid')]
  const quiet = ['--iptables=false', '--ip6tables=false', '--bridge=none', '--storage-driver=vfs']
  const child = spawn('dockerd', [...words, ...quiet], { stdio: 'ignore' })
  return { child, socket, command: `${whereIs('docker')} -H unix://${socket}` }
}

/** Settings for podman inside a container: no raised limits, cgroupfs, and no journal. */
const podmanSettings = `
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`

const startPodman = (folder: string): Started => {
  const at = (name: string) => join(folder, name)
  const socket = at('podman.sock')
  const settings = at('containers.conf')
  writeFileSync(settings, podmanSettings)
  const places = ['--root', at('data'), '--runroot', at('run'), '--tmpdir', at('tmp'), '--storage-driver', 'vfs']
  const child = spawn('podman', [...places, 'system', 'service', '--time=0', `unix://${socket}`], {
    env: { ...process.env, CONTAINERS_CONF: settings },
    stdio: 'ignore',
  })
  return { child, socket, command: `CONTAINERS_CONF=${settings} ${whereIs('podman')} ${places.join(' ')}` }
}

const starts = { docker: startDockerd, podman: startPodman } as const satisfies Record<EngineName, unknown>

const startLimitMilliseconds = 60_000

const takesConnections = (socket: string) =>
  new Promise<boolean>((resolve) => {
    const connection = connect(socket)
    connection.once('connect', () => resolve(true)).once('error', () => resolve(false))
    connection.once('connect', () => connection.destroy())
  })

/** Starts an engine with all its data in a temporary folder, without networks. Undefined if it cannot start here. */
export const startEngine = async (name: EngineName): Promise<Engine | undefined> => {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await temporaryDirectory())
  const { child, socket, command } = starts[name](folder.path)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()))
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  opened.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const limit = Date.now() + startLimitMilliseconds
  while (!(await takesConnections(socket))) {
    if (hasEnded || Date.now() > limit) return undefined
    await sleep(50)
  }
  const at = (file: string) => join(folder.path, file)
  mkdirSync(at('programs'))
  const program = join(at('programs'), name)
  writeFileSync(program, `#!/bin/sh\nexec env ${command} "$@"\n`, { mode: 0o755 })
  const engine = (...words: string[]) => execFileSync(program, words, { encoding: 'utf8', stdio: 'pipe' }).trim()
  makeRoot(at('root'))
  writeFileSync(at('image.tar'), execFileSync('tar', ['-C', at('root'), '-c', '.'], { maxBuffer: 256 * 1024 * 1024 }))
  try {
    engine('import', at('image.tar'), 'small:1')
    engine('run', '--rm', '--network=none', 'small:1', '/bin/sh', '-c', 'true')
  } catch {
    return undefined
  }
  // Containers outlive the podman service, which is not their parent; removing them also releases their mounts.
  opened.defer(() => {
    const ids = (...which: string[]) =>
      engine('ps', '--quiet', ...which)
        .split('\n')
        .filter(Boolean)
    const running = ids()
    if (running.length > 0) engine('kill', ...running)
    const all = ids('--all')
    if (all.length > 0) engine('rm', '--force', ...all)
  })
  const stack = opened.move()
  return {
    socket,
    engine,
    programs: at('programs'),
    runContainer: (container, script, options = []) => {
      const shell = ['small:1', '/bin/sh', '-c', script]
      const id = engine('run', '--detach', '--network=none', '--name', container, ...options, ...shell)
      engine('wait', id)
      return id
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
