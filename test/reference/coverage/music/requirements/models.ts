import { music, type Theme, theme } from '../../promised.ts'

const installed = music('models/installed-model')
const continuing = music('generate/model/continue-by-model')
const manifest = music('generate/model/manifest')
const autoregressive = music('generate/model/autoregressive')
const steps = music('generate/model/steps')
const commands = 'services/cli/src/music/music.test.ts'

/** Promises about generating with a model. */
export const models: readonly Theme[] = [
  theme(
    'Models',
    [
      'The generator `onnx` continues with a music model in ONNX, and `auto` does if one is installed',
      [installed, 'a model continues a chain, and the capacity lists it'],
      [commands, 'continues by the model that MUSIC_MODEL names, from the end of the piece, the same bytes each time'],
    ],
    [
      'Latent models and autoregressive models, each from a folder with a manifest',
      [continuing, 'continues a piece nearer to it than noise, another piece, and random frames of its own codec are'],
      [manifest, 'a model of the kind %s that fits its manifest passes the trial'],
      [steps, 'finds the clean and the random part from an exact estimate, at every level'],
      [autoregressive, 'fills the columns of codebooks that are delayed by %j'],
      [autoregressive, 'a network draws %i columns at a time in a loop of its own, by random numbers of the seed'],
      [steps, 'begin with a column without codes, and delay each codebook by its own number of columns'],
    ],
    [
      'A continuation joins the parent at its level, in its rate and channels, with exactly the requested length',
      [continuing, 'joins the last samples of the piece at its level, without a click'],
      [continuing, 'fits a chain of %i Hz with %i channels, to the sample'],
      [continuing, 'continues beyond its window in several, and reports its progress'],
    ],
    [
      '`context_seconds` is 10 by default for a model, and no more is taken than requested, or than the model can use',
      [installed, 'a model uses 10 s of context by default'],
      [continuing, 'takes no more of the context than requested'],
      [installed, 'a model continues a chain, and the capacity lists it'],
    ],
    [
      'Bytes are determined by the parent, the seed and the parameters',
      [continuing, 'generates the same samples for the same request, and others for another seed'],
      [installed, 'a model continues a chain, and the capacity lists it'],
    ],
    [
      'Words of the prompt that the model does not know are reported as ignored, all of them if it reads no prompts',
      [continuing, 'a model with a text encoder follows the words that it knows, and reports only those'],
      [continuing, 'words beyond the longest prompt of a model are not reported as followed'],
      [continuing, 'a model without a text encoder follows no words, and they change nothing'],
    ],
    [
      'A generation by a model is cancelled between two steps',
      [continuing, 'stops between two steps when it is cancelled'],
      [installed, 'a generation by a model is cancelled when its node is deleted'],
    ],
    [
      'A model that cannot be used is reported with the reason in `GET /api/gpu`, and 503 when it is requested',
      [installed, 'a model %s is unavailable, with the reason, and recombining is used instead'],
      [installed, 'a model that exceeds the memory of a worker is refused, and the setting is named'],
      [installed, 'a GPU that is required but missing is named'],
      [manifest, 'a manifest with %s is refused with a sentence'],
      [manifest, 'networks that do not fit a manifest with %s are refused, and what they have is named'],
    ],
    [
      'In a cluster, the pods that generate have the model, too',
      [
        'test/chart/chart.test.ts',
        'the model that generates music is mounted into the service and the generation workers',
      ],
    ],
    ['Silence is refused with a sentence', [continuing, 'refuses silence with a sentence']],
  ),
]
