import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs a module of the bench in a process of its own, to exclude memory of this process, and parses the JSON it prints. */
export const inChild = async <Figures>(module: URL, args: readonly string[]): Promise<Figures> => {
  const { stdout } = await run(process.execPath, [module.pathname, ...args])
  return JSON.parse(stdout) as Figures
}
