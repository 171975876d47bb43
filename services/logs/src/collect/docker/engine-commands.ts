import { CommandFailed, outputOf, type RunCommand } from '../command.ts'
import { type ContainerEngine, EngineFailed, maxContainers } from './engine.ts'

const maxListBytes = 16 * 1024 * 1024
/** Merges both outputs in their order; `"$@"` is the program. */
const together = 'exec "$@" 2>&1'

/** The engine's command-line program, for engines whose socket is not accessible. It does not distinguish stdout from stderr. */
export const createEngineCommands = (run: RunCommand, program: 'docker' | 'podman'): ContainerEngine => ({
  list: async (signal) => {
    const words = [program, 'ps', '--all', '--no-trunc', '--format', '{{.ID}} {{.Names}} {{.Status}}']
    const text = (await outputOf(run, words, { signal, maxBytes: maxListBytes })).toString('utf8')
    return text
      .split('\n')
      .slice(0, maxContainers)
      .flatMap((line) => {
        const [id, name, status] = line.trim().split(' ')
        return id === undefined || id === ''
          ? []
          : [{ id, name: (name ?? id).split(',')[0] ?? id, labels: {}, isRunning: status === 'Up' }]
      })
  },
  async *logs({ id }, { since }, signal) {
    const words = [program, 'logs', '--timestamps', ...(since === undefined ? [] : ['--since', since]), '--', id]
    const { output, ended } = await run(['sh', '-c', together, 'sh', ...words], signal)
    try {
      for await (const bytes of output) yield { kind: 'terminal', bytes }
    } catch (error) {
      throw error instanceof CommandFailed ? new EngineFailed(error.message, { cause: error }) : error
    }
    const { code } = await ended
    if (code !== 0 && !signal.aborted) throw new EngineFailed(`${program} logs ended with ${code ?? 'a signal'}.`)
  },
})
