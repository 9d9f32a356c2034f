/* Two inner loops of reading, in C: `words/memory.py` and `embedding/instant.py` have the same ones in Python.
 *
 * WordMemory cuts a text at its blanks and looks up what stands between them, without an object for each word.
 * sum_rows adds up rows of a table. No rule is here: what a word means, a Python function says, once for each word.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* ---- words that were seen before ---- */

#define LONGEST 128       /* bytes of a word that is remembered, as in memory.py */
#define LARGEST_CHAR 4    /* bytes of a character */
#define FIRST_SIZE 1024   /* places of a new table; a power of two, as all sizes are */

typedef struct {
    PyObject *result;     /* NULL where nothing is */
    Py_ssize_t key;       /* where its key begins among all keys */
    uint32_t hash;
    uint32_t length;
} Place;

typedef struct {
    PyObject_HEAD
    PyObject *function;
    int has_containers;   /* whether a result may hold others; the collector need not look at strings and bytes */
    Py_ssize_t most, used, size, key_bytes, key_room;
    Place *places;
    char *keys;
} WordMemory;

typedef struct {
    uint32_t hash;
    Py_ssize_t length;    /* in bytes; more than LONGEST if it is too long to be remembered */
    const char *bytes;
    char room[LONGEST + LARGEST_CHAR];
} Key;

/* Python's own hash of bytes, with the secret of this process: nobody can write a text whose words all collide. */
static inline uint32_t hash_of(const char *bytes, Py_ssize_t length)
{
    uint64_t hash = (uint64_t)PyHash_GetFuncDef()->hash(bytes, length);
    return (uint32_t)(hash ^ (hash >> 32));
}

/* The key of a range of a text: its characters as UTF-8, in which a lone surrogate counts as any other character. */
static void set_key(Key *key, int is_ascii, int kind, const void *data, Py_ssize_t start, Py_ssize_t end)
{
    if (is_ascii) {
        key->bytes = (const char *)data + start;
        key->length = end - start;
    }
    else {
        char *to = key->room;
        Py_ssize_t at = start;
        for (; at < end && to - key->room <= LONGEST; at++) {
            Py_UCS4 code = PyUnicode_READ(kind, data, at);
            if (code < 0x80)
                *to++ = (char)code;
            else if (code < 0x800) {
                *to++ = (char)(0xc0 | code >> 6);
                *to++ = (char)(0x80 | (code & 0x3f));
            }
            else if (code < 0x10000) {
                *to++ = (char)(0xe0 | code >> 12);
                *to++ = (char)(0x80 | (code >> 6 & 0x3f));
                *to++ = (char)(0x80 | (code & 0x3f));
            }
            else {
                *to++ = (char)(0xf0 | code >> 18);
                *to++ = (char)(0x80 | (code >> 12 & 0x3f));
                *to++ = (char)(0x80 | (code >> 6 & 0x3f));
                *to++ = (char)(0x80 | (code & 0x3f));
            }
        }
        key->bytes = key->room;
        key->length = at < end ? LONGEST + 1 : to - key->room;
    }
    key->hash = key->length <= LONGEST ? hash_of(key->bytes, key->length) : 0;
}

static Place *find(WordMemory *self, const Key *key)
{
    Py_ssize_t mask = self->size - 1;
    for (Py_ssize_t at = key->hash & mask;; at = (at + 1) & mask) {
        Place *place = &self->places[at];
        if (place->result == NULL)
            return place;
        if (place->hash == key->hash && place->length == key->length
            && memcmp(self->keys + place->key, key->bytes, key->length) == 0)
            return place;
    }
}

static void forget(WordMemory *self)
{
    /* A result may be freed with its last reference, and with that anything may run: the table is empty before. */
    Place *places = self->places;
    Py_ssize_t size = self->size;
    self->places = NULL;
    self->used = self->size = self->key_bytes = 0;
    self->has_containers = 0;
    for (Py_ssize_t at = 0; at < size; at++)
        Py_XDECREF(places[at].result);
    PyMem_Free(places);
}

static int make_room(WordMemory *self)
{
    Py_ssize_t size = self->size ? 2 * self->size : FIRST_SIZE;
    Place *before = self->places, *places = PyMem_Calloc(size, sizeof(Place));
    if (places == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t at = 0; at < self->size; at++) {
        if (before[at].result == NULL)
            continue;
        Py_ssize_t to = before[at].hash & (size - 1);
        while (places[to].result != NULL)
            to = (to + 1) & (size - 1);
        places[to] = before[at];
    }
    self->places = places;
    self->size = size;
    PyMem_Free(before);
    return 0;
}

static int remember(WordMemory *self, const Key *key, PyObject *result)
{
    if (self->used >= self->most)
        forget(self);
    if (2 * (self->used + 1) > self->size && make_room(self) < 0)
        return -1;
    Place *place = find(self, key);
    if (place->result != NULL)
        return 0;  /* while the function ran, it was asked for the same word */
    if (self->key_bytes + key->length > self->key_room) {
        Py_ssize_t room = 2 * (self->key_room + LONGEST);
        char *keys = PyMem_Realloc(self->keys, room);
        if (keys == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        self->keys = keys;
        self->key_room = room;
    }
    memcpy(self->keys + self->key_bytes, key->bytes, key->length);
    self->has_containers |= PyObject_IS_GC(result);
    *place = (Place){Py_NewRef(result), self->key_bytes, key->hash, (uint32_t)key->length};
    self->key_bytes += key->length;
    self->used++;
    return 0;
}

/* A new reference to the result for a range of a text. */
static PyObject *result_of(WordMemory *self, PyObject *text, Py_ssize_t start, Py_ssize_t end)
{
    Key key;
    set_key(&key, PyUnicode_IS_ASCII(text), PyUnicode_KIND(text), PyUnicode_DATA(text), start, end);
    if (key.length <= LONGEST && self->size) {
        PyObject *known = find(self, &key)->result;
        if (known != NULL)
            return Py_NewRef(known);
    }
    PyObject *word = PyUnicode_Substring(text, start, end);
    if (word == NULL)
        return NULL;
    PyObject *result = PyObject_CallOneArg(self->function, word);
    Py_DECREF(word);
    if (result != NULL && key.length <= LONGEST && remember(self, &key, result) < 0)
        Py_CLEAR(result);
    return result;
}

static PyObject *of_words(WordMemory *self, PyObject *text)
{
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "a text, not %.100s", Py_TYPE(text)->tp_name);
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t end, length = PyUnicode_GET_LENGTH(text);
    PyObject *results = PyList_New(0);
    for (Py_ssize_t at = 0; results != NULL && at < length; at = end) {
        end = at + 1;
        if (Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, at)))
            continue;
        while (end < length && !Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, end)))
            end++;
        PyObject *result = result_of(self, text, at, end);
        if (result == NULL || PyList_Append(results, result) < 0)
            Py_CLEAR(results);
        Py_XDECREF(result);
    }
    return results;
}

static PyObject *get_item(WordMemory *self, PyObject *word)
{
    if (!PyUnicode_Check(word))
        return PyErr_Format(PyExc_TypeError, "a word, not %.100s", Py_TYPE(word)->tp_name);
    return result_of(self, word, 0, PyUnicode_GET_LENGTH(word));
}

static Py_ssize_t count(WordMemory *self)
{
    return self->used;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *known[] = {"function", "most", NULL};
    PyObject *function;
    Py_ssize_t most;
    if (!PyArg_ParseTupleAndKeywords(arguments, names, "On", known, &function, &most))
        return NULL;
    WordMemory *self = (WordMemory *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->function = Py_NewRef(function);
        self->most = most;
    }
    return (PyObject *)self;
}

static int traverse(WordMemory *self, visitproc visit, void *arg)
{
    Py_VISIT(self->function);
    for (Py_ssize_t at = 0; self->has_containers && at < self->size; at++)
        Py_VISIT(self->places[at].result);
    return 0;
}

static int clear(WordMemory *self)
{
    Py_XSETREF(self->function, Py_NewRef(Py_None));  /* what is cleared may be asked once more */
    forget(self);
    return 0;
}

static void free_memory(WordMemory *self)
{
    PyObject_GC_UnTrack(self);
    forget(self);
    Py_XDECREF(self->function);
    PyMem_Free(self->keys);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef word_memory_methods[] = {
    {"of_words", (PyCFunction)of_words, METH_O, "For each word between two blanks, in order."},
    {NULL},
};
static PyMappingMethods word_memory_mapping = {.mp_length = (lenfunc)count, .mp_subscript = (binaryfunc)get_item};
static PyTypeObject WordMemoryType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "headnote.native.WordMemory",
    .tp_doc = "Word -> what the function returned for it, until there are too many words. Then it begins again.",
    .tp_basicsize = sizeof(WordMemory),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = create,
    .tp_traverse = (traverseproc)traverse,
    .tp_clear = (inquiry)clear,
    .tp_dealloc = (destructor)free_memory,
    .tp_methods = word_memory_methods,
    .tp_as_mapping = &word_memory_mapping,
};

/* ---- rows of whole numbers ---- */

#define TOGETHER 16       /* numbers that stay in registers while all rows are added to them */

static PyObject *sum_rows(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    Py_buffer numbers, rows, sums;
    if (!PyArg_ParseTuple(arguments, "y*y*w*", &numbers, &rows, &sums))
        return NULL;
    const int64_t *number = numbers.buf;
    const int32_t *table = rows.buf;
    int64_t *sum = sums.buf;
    Py_ssize_t width = sums.len / (Py_ssize_t)sizeof(int64_t), count = numbers.len / (Py_ssize_t)sizeof(int64_t);
    Py_ssize_t height = width ? rows.len / (Py_ssize_t)sizeof(int32_t) / width : 0;
    int is_sound = width % TOGETHER == 0;
    for (Py_ssize_t at = 0; at < count; at++)
        is_sound &= number[at] >= 0 && number[at] < height;
    for (Py_ssize_t column = 0; is_sound && column < width; column += TOGETHER) {
        int32_t total[TOGETHER] = {0};
        for (Py_ssize_t at = 0; at < count; at++) {
            const int32_t *row = table + number[at] * width + column;
            for (int place = 0; place < TOGETHER; place++)
                total[place] += row[place];
        }
        for (int place = 0; place < TOGETHER; place++)
            sum[column + place] = total[place];
    }
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&rows);
    PyBuffer_Release(&sums);
    if (!is_sound)
        return PyErr_Format(PyExc_IndexError, "a row that the table does not have");
    Py_RETURN_NONE;
}

/* ---- the module ---- */

static PyMethodDef functions[] = {
    {"sum_rows", sum_rows, METH_VARARGS, "Write the sum of the rows with these numbers."},
    {NULL},
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "headnote.native",
    .m_doc = "Inner loops of reading, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC PyInit_native(void)
{
    if (PyType_Ready(&WordMemoryType) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && PyModule_AddObjectRef(module, "WordMemory", (PyObject *)&WordMemoryType) < 0)
        Py_CLEAR(module);
    return module;
}
