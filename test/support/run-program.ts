import { execFile } from 'node:child_process'

export type Ran = { code: number; output: string }

/** Runs a program and gives what it said on both outputs. Rejects where it cannot be started or takes too long. */
export const attempt = (
  command: string,
  args: readonly string[],
  { environment = {}, seconds = 900 }: { environment?: NodeJS.ProcessEnv; seconds?: number } = {},
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const options = {
      encoding: 'utf8' as const,
      timeout: seconds * 1_000,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, ...environment },
    }
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number')
        return reject(new Error(`${command} ${args.join(' ')} did not end: ${error.message}\n${stdout}${stderr}`))
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: `${stdout}${stderr}` })
    })
  })

/** The same, for what must succeed. */
export const must = async (...given: Parameters<typeof attempt>): Promise<string> => {
  const { code, output } = await attempt(...given)
  if (code !== 0) throw new Error(`${given[0]} ${given[1].join(' ')} ended with ${code}:\n${output}`)
  return output.trim()
}
