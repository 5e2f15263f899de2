// A program that takes payments needs only one import.
@_exported public import CardCryptography
@_exported public import Ledger
@_exported public import Tags
@_exported public import TapcardDomain
