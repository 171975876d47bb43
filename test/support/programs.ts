import { ExecutableMissing, findNatsServer, findS3Server } from '@trellis/distributed/servers'

/** The path of a program, or the reason why it is missing, for the names of skipped tests. */
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
 * Variables with the paths of the programs, for our processes that tests start with an explicit environment: processes from the test bundle do not
 * search beside the checkout.
 */
export const programVariables: Record<string, string> = {
  ...(natsMissing === undefined && { NATS_SERVER_BIN: natsCommand }),
  ...(s3Missing === undefined && { VERSITYGW_BIN: s3Command }),
}
