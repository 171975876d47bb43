import { hashSeed } from '../segments/tokens.ts'
import { createMasker } from './masking.ts'

/** The distinct forms of a batch's messages. */
export type Shapes = {
  /** Starts a batch. */
  start: () => void
  /** The number of a message's form within the batch, from 1; 0 for an empty form. */
  add: (bytes: Uint8Array, start: number, end: number) => number
  /** The forms by number; that of 0 is empty. */
  finish: () => string[]
}

const multiplier = 0x01000193
/** Forms cached across batches, so that a line with a known form creates no string. */
const maxForms = 8_192
const slotCount = maxForms * 4

type Form = { text: string; bytes: Uint8Array; batch: number; number: number }

const decoder = new TextDecoder()

export const createShapes = (): Shapes => {
  const masker = createMasker()
  /** Two numbers per slot: the form's hash, and its index plus one. */
  const slots = new Int32Array(slotCount * 2)
  let forms: Form[] = []
  let batch = 0
  let found: string[] = ['']

  const isForm = ({ bytes }: Form, size: number): boolean => {
    if (bytes.length !== size) return false
    const { form } = masker
    let index = 0
    while (index < size && bytes[index] === form[index]) index++
    return index === size
  }
  const findOrAdd = (hash: number, size: number): Form => {
    let slot = (hash ^ (hash >>> 15)) & (slotCount - 1)
    for (let known = slots[slot * 2 + 1] ?? 0; known !== 0; known = slots[slot * 2 + 1] ?? 0) {
      const form = forms[known - 1]
      if (slots[slot * 2] === hash && form && isForm(form, size)) return form
      slot = (slot + 1) & (slotCount - 1)
    }
    const bytes = masker.form.slice(0, size)
    const form: Form = { text: decoder.decode(bytes), bytes, batch: -1, number: 0 }
    slots[slot * 2] = hash
    slots[slot * 2 + 1] = forms.push(form)
    return form
  }
  return {
    start: () => {
      batch++
      found = ['']
      if (forms.length < maxForms / 2) return
      forms = []
      slots.fill(0)
    },
    add: (bytes, start, end) => {
      const size = masker.mask(bytes, start, end)
      if (size === 0) return 0
      const { form: masked } = masker
      let hash = hashSeed
      for (let index = 0; index < size; index++) hash = Math.imul(hash ^ (masked[index] ?? 0), multiplier)
      // A full cache is cleared within the batch; forms that occur again then get a second number.
      if (forms.length >= maxForms) {
        forms = []
        slots.fill(0)
        batch++
      }
      const form = findOrAdd(hash, size)
      if (form.batch !== batch) {
        form.batch = batch
        form.number = found.push(form.text) - 1
      }
      return form.number
    },
    finish: () => found,
  }
}
