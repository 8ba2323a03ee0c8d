"""金额的解析和舍入。"""

import unittest
from decimal import Decimal

from fapiao import money
from fapiao.errors import 金额错误


class 解析测试(unittest.TestCase):
    def test_普通写法(self):
        for 文字, 值 in (("12.5", "12.5"), ("1,234.50", "1234.50"), ("￥88", "88"), ("-3.10", "-3.10")):
            self.assertEqual(money.解析(文字), Decimal(值))

    def test_全角数字(self):
        self.assertEqual(money.解析("１２３４．５０"), Decimal("1234.50"))

    def test_不是金额(self):
        for 文字 in ("", "  ", "一百元", "NaN", "1.2.3"):
            with self.assertRaises(金额错误):
                money.解析(文字)

    def test_显示(self):
        self.assertEqual(money.显示(Decimal("1234567.891")), "1,234,567.89")


if __name__ == "__main__":
    unittest.main()
