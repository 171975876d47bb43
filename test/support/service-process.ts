import { asStarted } from './as-started.ts'
import { modulePath } from './module-path.ts'
import { type NodeProcess, startNode } from './node-process.ts'

/** Runs a service's module and waits until it reports ready. */
export const startService = async (module: string, environment: Record<string, string>): Promise<NodeProcess> => {
  const service = startNode(await modulePath(module), { environment: { ...asStarted, ...environment } })
  await service.printed(/^Trellis .* is ready/m)
  return service
}

/** Runs the `migrate` command of a service's module. Throws its output if it fails. */
export const migrateService = async (module: string, environment: Record<string, string>): Promise<void> => {
  const program = await modulePath(module)
  const run = startNode(program, { environment: { ...asStarted, ...environment }, words: ['migrate'] })
  const code = await run.closed
  if (code !== 0) throw new Error(`${module} migrate ended with ${code}:\n${run.output().all}`)
}
