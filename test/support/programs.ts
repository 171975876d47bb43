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

/**
 * Where the programs were found, for processes of ours whose environment a test makes: what runs from the bundle of the tests does not look
 * beside the checkout.
 */
export const programVariables: Record<string, string> = {
  ...(natsMissing === undefined && { NATS_SERVER_BIN: natsCommand }),
  ...(s3Missing === undefined && { VERSITYGW_BIN: s3Command }),
}
