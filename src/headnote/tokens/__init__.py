"""How large is a text? Counters behind one function: text → size.

>>> from headnote.tokens import count_tokens
>>> count_tokens("hello world", "chars4")
3

| counter | size |
|---|---|
| `cl100k`, `o200k` | exact tokens, offline |
| `chars` | characters |
| `chars4` | a token for every four characters, rounded up |
| `estimate` | prose and code by their own ratios, wide characters one token each; takes a bias |
| path of a `tokenizer.json` | tokens of that Hugging Face tokenizer |
| a function `str → int` | whatever it returns |

`get_counter` gives the object behind a name, for batches, token boundaries and the longest piece that fits.
`is_seam` says where counts of neighbouring texts add up.
"""

from __future__ import annotations

from headnote.tokens.counter import Counter
from headnote.tokens.names import BIASES, NAMES, CounterLike, count_tokens, estimate_tokens, get_counter
from headnote.tokens.seams import is_seam

__all__ = ["BIASES", "NAMES", "Counter", "CounterLike", "count_tokens", "estimate_tokens", "get_counter", "is_seam"]
