/** Something that runs while anybody takes part in it, and for a while longer. */
export type Lingering<Running> = {
  /** Takes part; resolves when it runs. What is returned is to be called once, when done. */
  join: () => Promise<{ running: Running; leave: () => void }>
}

export type LingeringOptions<Running> = {
  start: () => Promise<Running>
  stop: (running: Running) => Promise<unknown>
  /** After the last has left, it goes on for so long, so that one who comes back finds it running. */
  milliseconds: number
}

/** Starts with the first who joins; a start that failed is tried again by the next. */
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
