/** What tests of one run share, each started when a test first asks for it, and ended with the run. */
export type Shared = {
  /** A Postgres without fsync, for tests that need a database and do not stop their server. */
  postgres: { url: string }
  /** The folder of the bundle of everything that runs as a process or thread of its own. */
  bundle: { folder: string }
}

/** The variable with the address of the broker, set for the length of a run of vitest. */
export const brokerVariable = 'TEST_SHARED_URL'

/** Whether there is anything to share: not in benches, which run outside of vitest. */
export const canShare = (): boolean => process.env[brokerVariable] !== undefined

/** Asks the run of the tests for what is shared. Throws with the reason where it could not be started. */
export const askShared = async <Name extends keyof Shared>(name: Name): Promise<Shared[Name]> => {
  const response = await fetch(`${process.env[brokerVariable]}/${name}`)
  if (!response.ok) throw new Error(`${name} could not be started for all tests: ${await response.text()}`)
  return (await response.json()) as Shared[Name]
}
