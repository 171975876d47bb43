import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What a module of the bench prints as JSON, run as a process of its own: what others left in memory is not measured with it. */
export const inChild = async <Figures>(module: URL, args: readonly string[]): Promise<Figures> => {
  const { stdout } = await run(process.execPath, [module.pathname, ...args])
  return JSON.parse(stdout) as Figures
}
