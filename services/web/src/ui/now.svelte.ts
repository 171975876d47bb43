import { createSubscriber } from 'svelte/reactivity'

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 10_000)
  return () => clearInterval(timer)
})

/** The time now, read reactively: what shows it is refreshed every ten seconds. */
export const now = (): number => {
  subscribe()
  return Date.now()
}
