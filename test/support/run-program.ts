import { execFile } from 'node:child_process'

export type Ran = { code: number; output: string }

/** Runs a program and returns its exit code with stdout and stderr. Rejects if it cannot be started or takes too long. */
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

/** Runs a program that must succeed and returns its output. Rejects if it ends with another code than 0. */
export const must = async (...args: Parameters<typeof attempt>): Promise<string> => {
  const { code, output } = await attempt(...args)
  if (code !== 0) throw new Error(`${args[0]} ${args[1].join(' ')} ended with ${code}:\n${output}`)
  return output.trim()
}
