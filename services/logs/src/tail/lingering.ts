/** A shared resource that runs while it has members, and for a while longer. */
export type Lingering<Running> = {
  /** Adds a member; resolves when the resource runs. The caller calls `leave` once, when it is done. */
  join: () => Promise<{ running: Running; leave: () => void }>
}

export type LingeringOptions<Running> = {
  start: () => Promise<Running>
  stop: (running: Running) => Promise<unknown>
  /** How long the resource continues after the last member has left, so that a member that returns finds it running. */
  milliseconds: number
}

/** Starts with the first member; after a failed start, the next member tries again. */
export const createLingering = <Running>({
  start,
  stop,
  milliseconds,
}: LingeringOptions<Running>): Lingering<Running> => {
  let members = 0
  let running: Promise<Running> | undefined
  let lingering: NodeJS.Timeout | undefined

  const end = () => {
    const ending = running
    running = undefined
    ending?.then(stop).catch(() => undefined)
  }
  const leave = () => {
    members--
    if (members > 0) return
    clearTimeout(lingering)
    lingering = setTimeout(end, milliseconds)
    lingering.unref()
  }
  return {
    join: async () => {
      clearTimeout(lingering)
      members++
      running ??= start()
      const mine = running
      try {
        return { running: await mine, leave }
      } catch (error) {
        if (running === mine) running = undefined
        leave()
        throw error
      }
    },
  }
}
