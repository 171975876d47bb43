/** Resources shared by the tests of one run. Each is started on first use and ends with the run. */
export type Shared = {
  /** A Postgres without fsync, for tests that need a database and do not stop their server. */
  postgres: { url: string }
  /** The folder with the bundle of all modules that run as separate processes or threads. */
  bundle: { folder: string }
}

/** The variable with the URL of the broker, set during a run of vitest. */
export const brokerVariable = 'TEST_SHARED_URL'

/** Whether a broker is running; it is not in benches, which run outside of vitest. */
export const canShare = (): boolean => process.env[brokerVariable] !== undefined

/** Fetches a shared resource from the broker, which starts it if needed. Throws with the reason if that fails. */
export const fetchShared = async <Name extends keyof Shared>(name: Name): Promise<Shared[Name]> => {
  const response = await fetch(`${process.env[brokerVariable]}/${name}`)
  if (!response.ok) throw new Error(`The shared ${name} could not be started: ${await response.text()}`)
  return (await response.json()) as Shared[Name]
}
