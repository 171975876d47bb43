import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { temporaryDirectory } from './temporary-directory.ts'

const isThere = (command: string) => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Why tests with a real container engine cannot run here. */
export const dockerMissing: string | undefined =
  process.getuid?.() !== 0
    ? 'a container engine needs root'
    : !isThere('dockerd') || !isThere('docker')
      ? 'dockerd is not installed'
      : undefined

export type Engine = AsyncDisposable & {
  socket: string
  /** Starts a container that runs a script of `sh` with `head` and `tr`, and waits until it has ended. Gives its id. */
  runContainer: (name: string, script: string, options?: readonly string[]) => string
  docker: (...words: string[]) => string
}

/** Programs of this machine and what they need, as the root of an image. */
const makeRoot = (folder: string) => {
  const programs = ['sh', 'head', 'tr', 'sleep'].map((name) =>
    ['/bin', '/usr/bin'].map((directory) => join(directory, name)).find(existsSync),
  )
  const libraries = new Set<string>()
  for (const program of programs) {
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

/** Starts Docker's engine with everything of its own in a temporary folder, without networks. Undefined where it does not start here. */
export const startDockerd = async (): Promise<Engine | undefined> => {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await temporaryDirectory())
  const at = (name: string) => join(folder.path, name)
  const socket = at('docker.sock')
  const words = ['-H', `unix://${socket}`, '--data-root', at('data'), '--exec-root', at('exec'), '-p', at('pid')]
  const quiet = ['--iptables=false', '--ip6tables=false', '--bridge=none', '--storage-driver=vfs']
  const child = spawn('dockerd', [...words, ...quiet], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  opened.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const isReady = await new Promise<boolean>((resolve) => {
    void ended.then(() => resolve(false))
    child.stderr.on('data', (bytes: Buffer) => {
      if (bytes.includes('API listen on')) resolve(true)
    })
  })
  if (!isReady) return undefined
  const docker = (...given: string[]) =>
    execFileSync('docker', ['-H', `unix://${socket}`, ...given], { encoding: 'utf8', stdio: 'pipe' }).trim()
  makeRoot(at('root'))
  writeFileSync(at('image.tar'), execFileSync('tar', ['-C', at('root'), '-c', '.'], { maxBuffer: 256 * 1024 * 1024 }))
  try {
    docker('import', at('image.tar'), 'small:1')
    docker('run', '--rm', '--network=none', 'small:1', '/bin/sh', '-c', 'true')
  } catch {
    return undefined
  }
  const stack = opened.move()
  return {
    socket,
    docker,
    runContainer: (name, script, options = []) => {
      const id = docker(
        'run',
        '--detach',
        '--network=none',
        '--name',
        name,
        ...options,
        'small:1',
        '/bin/sh',
        '-c',
        script,
      )
      docker('wait', id)
      return id
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
