import picomatch from 'picomatch'
import type { Container } from './engine.ts'

/**
 * Whether a source means a container: by names, ids or globs of names, and by labels as `label:key` or `label:key=value`; what begins with
 * `!` is left out, whatever else is said. Nothing said means all.
 */
export const choosesContainer = (chosen: readonly string[]): ((container: Container) => boolean) => {
  const toTest = (word: string): ((container: Container) => boolean) => {
    if (word.startsWith('label:')) {
      const [key = '', ...value] = word.slice('label:'.length).split('=')
      return ({ labels }) => (value.length === 0 ? key in labels : labels[key] === value.join('='))
    }
    const fits = picomatch(word, { dot: true })
    return ({ id, name }) => fits(name) || (/^[0-9a-f]{12,64}$/.test(word) && id.startsWith(word))
  }
  const wanted = chosen.filter((word) => !word.startsWith('!')).map(toTest)
  const unwanted = chosen.filter((word) => word.startsWith('!')).map((word) => toTest(word.slice(1)))
  return (container) =>
    !unwanted.some((test) => test(container)) && (wanted.length === 0 || wanted.some((test) => test(container)))
}
