/**
 * Takes what a model says to itself out of what it says: everything between `<think>`, `<thinking>` or `<reasoning>` and its end, and all
 * before an end without a start, where the start was part of what the model was given. A tag in backticks is none.
 */
export type ThinkingFilter = {
  /** The part of the text so far that is certainly for others; tags may be cut anywhere. */
  push: (text: string) => ShownText
  /**
   * What was held back, once nothing more comes. A block that opens a line and never ends hides all after it; one amid a line was none, and
   * neither was one amid a block that ended.
   */
  end: () => ShownText
}

/** Words to show; `replaces`: what was shown before was thinking, too. */
export type ShownText = { text: string; replaces: boolean }

const names = ['think', 'thinking', 'reasoning']
const tag = /<(?<slash>\/?)(?<name>think|thinking|reasoning)(?:\s[^<>]{0,200})?>/i
const longestTag = 216
/** What may turn out not to be thinking is kept up to this. */
const maxHidden = 100_000

const mayBecomeTag = (text: string): boolean => {
  const said = text.toLowerCase().replace(/^<\/?/, '')
  return (
    text.length < longestTag &&
    names.some((name) => name.startsWith(said) || (said.startsWith(name) && /^\s[^<>]*$/.test(said.slice(name.length))))
  )
}

type Block = { name: string; depth: number; opensLine: boolean; hasEnd: boolean; hidden: string }

export const createThinkingFilter = (): ThinkingFilter => {
  let held = ''
  let shown: ShownText = { text: '', replaces: false }
  let block: Block | undefined
  let isFirst = true
  let isLineBlank = true
  let previous = ''

  const say = (text: string) => {
    if (text === '') return
    previous = text.at(-1) ?? ''
    if (!block) {
      const line = text.lastIndexOf('\n')
      isLineBlank = (line >= 0 || isLineBlank) && text.slice(line + 1).trim() === ''
      shown.text += text
    } else if (block.hasEnd || !block.opensLine) block.hidden = (block.hidden + text).slice(0, maxHidden)
  }
  const open = (name: string, text: string) => {
    isFirst = false
    if (block?.name === name) block.depth += 1
    if (block) return say(text)
    block = { name, depth: 1, opensLine: isLineBlank, hasEnd: false, hidden: '' }
    say(text)
  }
  const close = (name: string, text: string) => {
    if (!block) {
      if (isFirst) shown = { text: '', replaces: true }
      if (isFirst) isLineBlank = true
      isFirst = false
    } else if (block.name !== name) say(text)
    else {
      block.depth -= 1
      block.hasEnd = true
      block.hidden = ''
      if (block.depth === 0) block = undefined
    }
  }
  const read = (isLast: boolean) => {
    for (let found = tag.exec(held); found?.groups; found = tag.exec(held)) {
      say(held.slice(0, found.index))
      held = held.slice(found.index + found[0].length)
      const name = found.groups.name?.toLowerCase() ?? ''
      if (previous === '`') say(found[0])
      else if (found.groups.slash === '/') close(name, found[0])
      else open(name, found[0])
    }
    const last = held.lastIndexOf('<')
    const cut = !isLast && last >= 0 && mayBecomeTag(held.slice(last)) ? last : held.length
    say(held.slice(0, cut))
    held = held.slice(cut)
  }
  const taken = (): ShownText => {
    const now = shown
    shown = { text: '', replaces: false }
    return now
  }
  return {
    push: (text) => {
      held += text
      read(false)
      return taken()
    },
    end: () => {
      read(true)
      shown.text += block?.hidden ?? ''
      block = undefined
      return taken()
    },
  }
}

export const withoutThinking = (text: string): string => {
  const filter = createThinkingFilter()
  const first = filter.push(text)
  const rest = filter.end()
  return (rest.replaces ? rest.text : first.text + rest.text).trim()
}
