import { ExecutableMissing, findNatsServer, findS3Server } from '@trellis/distributed/servers'

/** A program of this machine, or why there is none, in words for the names of tests that are skipped for it. */
export const lookFor = (
  find: (environment: NodeJS.ProcessEnv) => string,
): { command: string; missing: string | undefined } => {
  try {
    return { command: find(process.env), missing: undefined }
  } catch (error) {
    if (error instanceof ExecutableMissing) return { command: '', missing: error.message }
    throw error
  }
}

export const { command: natsCommand, missing: natsMissing } = lookFor(findNatsServer)
export const { command: s3Command, missing: s3Missing } = lookFor(findS3Server)
