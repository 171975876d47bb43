import { compileGlob } from '../glob.ts'
import type { Container } from './engine.ts'

/**
 * Whether a source selects a container: by names, ids or globs of names, and by labels as `label:key` or `label:key=value`; a leading `!`
 * excludes, with precedence over all others. An empty list selects all containers.
 */
export const choosesContainer = (selectors: readonly string[]): ((container: Container) => boolean) => {
  const toTest = (word: string): ((container: Container) => boolean) => {
    if (word.startsWith('label:')) {
      const [key = '', ...value] = word.slice('label:'.length).split('=')
      return ({ labels }) => (value.length === 0 ? key in labels : labels[key] === value.join('='))
    }
    const fits = compileGlob(word, { dot: true })
    return ({ id, name }) => fits(name) || (/^[0-9a-f]{12,64}$/.test(word) && id.startsWith(word))
  }
  const included = selectors.filter((word) => !word.startsWith('!')).map(toTest)
  const excluded = selectors.filter((word) => word.startsWith('!')).map((word) => toTest(word.slice(1)))
  return (container) =>
    !excluded.some((test) => test(container)) && (included.length === 0 || included.some((test) => test(container)))
}
